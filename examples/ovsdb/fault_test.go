package ovsdb

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatIsNoOVSDBBreaksTheConnection(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":            `HTTP/1.1 400 Bad Request`,
		"a stray brace":      `}`,
		"a list":             `[1,2]`,
		"null":               "null\n",
		"a number as method": `{"method":1}`,
		"no id":              `{"result":[]}`,
		"id of another kind": `{"id":"x","result":[]}`,
		"a negative id":      `{"id":-1,"result":[]}`,
		"deep nesting":       strings.Repeat("[", 100_000),
		"a flood of spaces":  strings.Repeat(" ", bound+1),
		"a huge string":      `{"id":1,"result":"` + strings.Repeat("a", bound) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
				go func() {
					s.next()
					s.say(text)
				}()
				_, err := c.Bridge(t.Context(), "br0")
				require.ErrorIs(t, err, ErrMalformed)
				require.ErrorIs(t, err, ErrConnLost)
				_, again := c.Bridge(t.Context(), "br0")
				require.Equal(t, err, again)
			})
		})
	}
}

// TestTheBoundIsOfAMessageNotOfTheConnection sends twice the bound in messages
// that are each within it.
func TestTheBoundIsOfAMessageNotOfTheConnection(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		pad := `{"method":"update","params":["` + strings.Repeat("a", bound-1000) + `"]}`
		for range 2 {
			require.NoError(t, s.say(pad))
		}
		go s.answerAll(noBridge)
		_, err := c.Bridge(t.Context(), "br0")
		require.ErrorIs(t, err, ErrNoBridge)
	})
}

// oneBridge answers a Bridge call with the rest of a bridge's row, a port's and
// an interface's.
func oneBridge(bridge, port, iface string) string {
	return fmt.Sprintf(`[{"rows":[{"name":"br0","ports":["uuid","p"]%s}]},
		{"rows":[{"_uuid":["uuid","p"],"name":"p1","interfaces":["uuid","i"]%s}]},
		{"rows":[{"_uuid":["uuid","i"],"name":"p1"%s}]}]`, bridge, port, iface)
}

func TestResultsThatAreNoneEndTheCallButNotTheConnection(t *testing.T) {
	for name, result := range map[string]string{
		"no list":                `{}`,
		"null":                   `null`,
		"too few":                `[{"rows":[]}]`,
		"too many":               `[{"rows":[]},{"rows":[]},{"rows":[]},{}]`,
		"nulls":                  `[null,null,null]`,
		"no rows":                `[{},{},{}]`,
		"rows of another kind":   `[{"rows":[1]},{"rows":[]},{"rows":[]}]`,
		"a port that is nowhere": `[{"rows":[{"name":"br0","ports":["uuid","p"]}]},{"rows":[]},{"rows":[]}]`,
		"a map that is a set":    oneBridge(`,"other_config":["set",[]]`, "", ""),
		"a tag over 16 bits":     oneBridge("", `,"tag":65536`, ""),
		"a tag of text":          oneBridge("", `,"tag":"10"`, ""),
		"an interface nowhere":   oneBridge("", `,"interfaces":["set",[["uuid","i"],["uuid","j"]]]`, ""),
		"a broken ofport":        oneBridge("", "", `,"ofport":1.5`),
	} {
		t.Run(name, func(t *testing.T) {
			withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
				go s.answerAll(result, oneBridge("", "", ""))
				br, err := c.Bridge(t.Context(), "br0")
				require.ErrorIs(t, err, ErrMalformed)
				require.Zero(t, br)
				br, err = c.Bridge(t.Context(), "br0")
				require.NoError(t, err)
				require.Equal(t, []Port{{Name: "p1", Trunks: nil, Interfaces: []Interface{{Name: "p1"}}}}, br.Ports)
			})
		})
	}
}

func TestARefusalTellsWhichOperationAndWhy(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   ServerError
	}{
		"an operation":      {`"result":[{"rows":[]},{"error":"not owner","details":"d"},null],"error":null`, ServerError{1, "not owner", "d"}},
		"the commit":        {`"result":[{"rows":[]},{"rows":[]},{"rows":[]},{"error":"constraint violation"}],"error":null`, ServerError{3, "constraint violation", ""}},
		"the request":       {`"result":null,"error":{"error":"unknown database","details":"d"}`, ServerError{-1, "unknown database", "d"}},
		"the method":        {`"error":"unknown method"`, ServerError{-1, `"unknown method"`, ""}},
		"in unheard-of way": {`"error":{"code":1}`, ServerError{-1, `{"code":1}`, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			withFake(t, func(t *testing.T, client *Client, s *fakeServer) {
				go func() { s.say(`{"id":` + string(s.next().ID) + `,` + c.answer + `}`) }()
				_, err := client.Bridge(t.Context(), "br0")
				var refused *ServerError
				require.ErrorAs(t, err, &refused)
				require.Equal(t, c.want, *refused)
				require.ErrorContains(t, err, `bridge "br0": refused by the server: `+c.want.Code)
			})
		})
	}
}

// written is the server's answer to the transaction of SetSnooping.
const written = `[{},{"rows":[{"mcast_snooping_enable":true,"other_config":["map",[]]}]},{"count":1},{"count":1},{"count":1},{"rows":[{"next_cfg":5}]}]`

func counter(n int) string { return fmt.Sprintf(`[{},{"rows":[{"cur_cfg":%d}]}]`, n) }

const notYet = `[{"error":"timed out","details":"\"where\" clause test failed"},null]`

func TestSetSnoopingWaitsForItsConfigurationOrALaterOne(t *testing.T) {
	for name, answers := range map[string][]string{
		"at once":       {counter(5)},
		"step by step":  {counter(3), notYet, counter(4), notYet, notYet, counter(5)},
		"a later one":   {counter(3), counter(9)},
		"counting back": {counter(3), counter(1), counter(5)},
	} {
		t.Run(name, func(t *testing.T) {
			withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					s.answerAll(append([]string{written}, answers...)...)
				}()
				previous, err := c.SetSnooping(t.Context(), "br0", SnoopingState{})
				require.NoError(t, err)
				require.Equal(t, SnoopingState{Enabled: true}, previous)
				<-done // all of the answers were wanted
			})
		})
	}
}

func TestSetSnoopingTellsWhatWasThereThoughTheWaitWasInVain(t *testing.T) {
	for name, end := range map[string]func(s *fakeServer){
		"silence":     func(s *fakeServer) { s.next() },
		"nonsense":    func(s *fakeServer) { s.answerAll(`[{},{"rows":[]}]`) },
		"a refusal":   func(s *fakeServer) { s.answerAll(`[{"error":"resources exhausted"},null]`) },
		"a lost line": func(s *fakeServer) { s.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
				go func() {
					s.answerAll(written, counter(4))
					end(s)
				}()
				previous, err := c.SetSnooping(t.Context(), "br0", SnoopingState{})
				require.ErrorIs(t, err, ErrNotApplied)
				require.Equal(t, SnoopingState{Enabled: true}, previous)
			})
		})
	}
}

func TestARefusedChangeIsNotCalledWritten(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		go s.answerAll(`[{},{"rows":[]},{"error":"timed out"},null,null,null]`, `[]`,
			strings.Replace(written, `"next_cfg":5`, `"next_cfg":"x"`, 1), strings.Replace(written, `{"mcast`, `{},{"mcast`, 1))
		for range 4 {
			_, err := c.SetSnooping(t.Context(), "br0", SnoopingState{})
			require.Error(t, err)
			require.NotErrorIs(t, err, ErrNotApplied)
			require.NotErrorIs(t, err, ErrNoBridge)
		}
	})
}

// TestAServerThatDripsEndsWithTheCall sends a byte of an endless message each
// second.
func TestAServerThatDripsEndsWithTheCall(t *testing.T) {
	withFake(t, func(t *testing.T, c *Client, s *fakeServer) {
		left := make(chan struct{})
		go func() {
			defer close(left)
			s.next()
			for err := error(nil); err == nil; err = s.say(" ") {
				time.Sleep(time.Second)
			}
		}()
		began := time.Now()
		_, err := c.Bridge(t.Context(), "br0")
		require.Error(t, err)
		require.NotErrorIs(t, err, io.EOF)
		require.Equal(t, timeout, time.Since(began))
		require.NoError(t, c.Close())
		<-left
	})
}
