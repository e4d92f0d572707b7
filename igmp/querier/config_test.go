package querier

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestDefaultsAreTheRFCs(t *testing.T) {
	want := Timing{RV: 2, QI: 125 * time.Second, QRI: 10 * time.Second, LMQI: time.Second, LMQC: 2}
	require.Equal(t, want, start(t).State().Timing)
	require.Equal(t, 255*time.Second, want.OtherQuerierPresent())

	short := start(t, func(c *Config) { c.QI, c.RV = 3*time.Second, 3 })
	require.Equal(t, 1500*time.Millisecond, short.State().Timing.QRI, "hosts answer before the next query")
	require.Equal(t, 3, short.State().Timing.LMQC)
}

func TestAConfigurationThatCannotWorkIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		where  string
		want   error
	}{
		"no MAC":             {func(c *Config) { c.MAC = igmp.MAC{} }, "", igmp.ErrMAC},
		"group MAC":          {func(c *Config) { c.MAC[0] = 1 }, "", igmp.ErrMAC},
		"three tags":         {func(c *Config) { c.VLANs = make([]igmp.VLAN, 3) }, "", igmp.ErrVLANDepth},
		"VLAN 4096":          {func(c *Config) { c.VLANs = []igmp.VLAN{{ID: 4096}} }, "", igmp.ErrVLAN},
		"version 0":          {func(c *Config) { c.Versions = []uint8{0} }, "version 0", igmp.ErrVersion},
		"version 4":          {func(c *Config) { c.Versions = []uint8{3, 4} }, "version 4", igmp.ErrVersion},
		"twice version 2":    {func(c *Config) { c.Versions = []uint8{2, 3, 2} }, "version 2", igmp.ErrVersion},
		"negative RV":        {func(c *Config) { c.RV = -1 }, "RV", ErrTiming},
		"large RV":           {func(c *Config) { c.RV = 256 }, "RV", ErrTiming},
		"negative QI":        {func(c *Config) { c.QI = -time.Second }, "QI", ErrTiming},
		"a storm":            {func(c *Config) { c.QI = 99 * time.Millisecond }, "QI", ErrTiming},
		"QI past its code":   {func(c *Config) { c.QI = 31745 * time.Second }, "QI", ErrTiming},
		"QRI as QI":          {func(c *Config) { c.QRI = 125 * time.Second }, "QRI", ErrTiming},
		"negative QRI":       {func(c *Config) { c.QRI = -1 }, "QRI", ErrTiming},
		"QRI past v2":        {func(c *Config) { c.QRI, c.Versions = 26*time.Second, []uint8{2} }, "", igmp.ErrTime},
		"QRI past v2 of two": {func(c *Config) { c.QRI, c.Versions = 26*time.Second, []uint8{2, 3} }, "", igmp.ErrTime},
		"QRI past its code":  {func(c *Config) { c.QRI, c.QI = time.Hour, 2*time.Hour }, "", igmp.ErrTime},
		"negative LMQI":      {func(c *Config) { c.LMQI = -1 }, "LMQI", ErrTiming},
		"LMQI past v2":       {func(c *Config) { c.LMQI, c.Versions = 26*time.Second, []uint8{2} }, "LMQI", igmp.ErrTime},
		"negative LMQC":      {func(c *Config) { c.LMQC = -1 }, "LMQC", ErrTiming},
		"large LMQC":         {func(c *Config) { c.LMQC = 256 }, "LMQC", ErrTiming},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{MAC: ourMAC, Addrs: addrs("192.0.2.9")}
			c.change(&cfg)
			q, err := New(cfg)
			requireError(t, err, "configure", c.where, c.want)
			require.Nil(t, q)
		})
	}
}

func TestTheLimitsThemselvesWork(t *testing.T) {
	start(t, func(c *Config) { c.RV, c.LMQC, c.QI = 255, 255, 31744*time.Second })
	start(t, func(c *Config) { c.QI, c.QRI = 100*time.Millisecond, time.Millisecond })
	start(t, func(c *Config) { c.Versions, c.QRI, c.LMQI = []uint8{2}, 25500*time.Millisecond, 100*time.Millisecond })
	start(t, func(c *Config) { c.MTU = -1 })
}

func TestErrorsTellWhatAndWhere(t *testing.T) {
	err := &Error{Op: opConfigure, Where: "QI", Err: ErrTiming}
	require.EqualError(t, err, "querier: configure: QI: timing out of range")
	err.Where = ""
	require.EqualError(t, err, "querier: configure: timing out of range")
	require.True(t, errors.Is(err, ErrTiming))
}

func logged(level slog.Level) (*bytes.Buffer, func(*Config)) {
	var b bytes.Buffer
	return &b, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level})) }
}

func TestSeveralVersionsAreWarnedAbout(t *testing.T) {
	b, logger := logged(slog.LevelWarn)
	start(t, logger)
	require.Empty(t, b.String())
	start(t, logger, func(c *Config) { c.Versions = []uint8{1, 2, 3} })
	require.Equal(t, 1, strings.Count(b.String(), "level=WARN"))
	require.Contains(t, b.String(), `versions="[1 2 3]"`)
}

// RFC 9776 7.3.1: a warning, and a limit to it; the version on the wire stays what the administrator said.
func TestAnotherVersionIsWarnedAboutOnceInTenMinutes(t *testing.T) {
	for _, version := range []uint8{1, 2, 3} {
		b, logger := logged(slog.LevelWarn)
		q := start(t, logger, func(c *Config) { c.Versions = []uint8{version} })
		for i := range 601 { // each second, to the tenth minute
			for v := uint8(1); v <= 3; v++ {
				h := heard(higher, at(float64(i)))
				h.Version = v
				q.HandleQuery(h)
			}
		}
		require.Equal(t, 4, strings.Count(b.String(), "level=WARN"), "two versions, twice")
		require.NotContains(t, b.String(), "version="+string('0'+version))
		require.Equal(t, uint64(1202), q.Counters().OtherVersions)
		for _, frame := range q.Advance(at(1200)) {
			require.Equal(t, version, decode(t, frame).Version)
		}
	}
}

// A single v2 query for a group makes hosts fall back, whoever sends it; our own and nonsense do not count.
func TestSpecificAndProxyQueriesOfAnotherVersionAreWarnedAboutToo(t *testing.T) {
	for _, c := range []struct {
		change func(*Heard)
		want   int
	}{
		{func(h *Heard) { h.Group = group }, 1},
		{func(h *Heard) { h.Src = nobody }, 1},
		{func(h *Heard) { h.Src = ours }, 0},
		{func(h *Heard) { h.Src = group }, 0},
	} {
		b, logger := logged(slog.LevelWarn)
		q := start(t, logger)
		h := heard(lower, t0)
		h.Version = 2
		c.change(&h)
		q.HandleQuery(h)
		require.Equal(t, c.want, strings.Count(b.String(), "level=WARN"))
	}
}

func TestElectionsAreLogged(t *testing.T) {
	b, logger := logged(slog.LevelInfo)
	q := start(t, logger)
	q.HandleQuery(heard(lower, t0))
	q.HandleQuery(heard(lower, at(1)))
	q.Advance(at(300))
	require.Equal(t, 2, strings.Count(b.String(), "level=INFO"))
	require.Equal(t, 2, strings.Count(b.String(), "querier=192.0.2.1 ours=192.0.2.9"))
}
