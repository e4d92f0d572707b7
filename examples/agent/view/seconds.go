package view

import (
	"math"
	"strconv"
	"time"
)

// Forever is a duration without end.
const Forever Seconds = math.MaxInt64

// Seconds is a duration that is a number of seconds in JSON, to the millisecond, and null without end.
type Seconds time.Duration

// Duration is the same as a time.Duration.
func (s Seconds) Duration() time.Duration { return time.Duration(s) }

// String is for people: whole seconds, as "4m30s".
func (s Seconds) String() string {
	if s == Forever {
		return "forever"
	}
	return time.Duration(s).Round(time.Second).String()
}

// MarshalJSON writes the number.
func (s Seconds) MarshalJSON() ([]byte, error) {
	if s == Forever {
		return []byte("null"), nil
	}
	ms := time.Duration(s).Round(time.Millisecond)
	return strconv.AppendFloat(nil, ms.Seconds(), 'f', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*s = Forever
		return nil
	}
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil {
		return err
	}
	*s = Seconds(math.Round(f*1000)) * Seconds(time.Millisecond)
	return nil
}
