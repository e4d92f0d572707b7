package snooper

import (
	"errors"
	"strings"
	"testing"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

func TestVerdictsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	var c Counts
	for v, n := range c.All() {
		require.Zero(t, n)
		name := v.String()
		require.NotEmpty(t, name)
		require.False(t, seen[name], name)
		seen[name] = true
		first, _, _ := strings.Cut(name, " ")
		require.Contains(t, []string{"accepted", "ignored:", "refused:"}, first)
	}
	require.Len(t, seen, int(numVerdicts)-1)
	require.Equal(t, "Verdict(0x00)", Verdict(0).String())
	require.Equal(t, "Verdict(0xff)", Verdict(255).String())
	for range c.All() {
		break
	}
}

func TestOtherNames(t *testing.T) {
	require.Equal(t, "auto member router trusted Role(0x04)",
		strings.Join([]string{Auto.String(), Member.String(), Router.String(), Trusted.String(), Role(4).String()}, " "))
	require.Equal(t, "default strict off Check(0x03)",
		strings.Join([]string{CheckDefault.String(), CheckStrict.String(), CheckOff.String(), Check(3).String()}, " "))
	require.Equal(t, "allow drop treat as leave Decision(0x00)",
		strings.Join([]string{Allow.String(), Drop.String(), TreatAsLeave.String(), Decision(0).String()}, " "))
	require.Equal(t, "none", ForwardNone.String())
	require.Equal(t, "members and routers", ForwardMembers.String())
	require.Equal(t, "Forward(0x00)", Forward(0).String())
	require.Equal(t, "Forward(0x1f)", Forward(0x1f).String())
}

// A new sentinel of the codec must get a verdict here, or be RefusedMalformed on purpose.
func TestEveryErrorOfTheDecoderHasItsVerdict(t *testing.T) {
	for err, want := range map[error]Verdict{
		igmp.ErrFrameShort:  RefusedFrame,
		igmp.ErrVLANDepth:   IgnoredNotIPv4,
		igmp.ErrNotIPv4:     IgnoredNotIPv4,
		igmp.ErrNotIGMP:     IgnoredNotIGMP,
		igmp.ErrIPHeader:    RefusedIPHeader,
		igmp.ErrIPLength:    RefusedIPLength,
		igmp.ErrIPOptions:   RefusedIPHeader,
		igmp.ErrIPChecksum:  RefusedIPChecksum,
		igmp.ErrFragment:    RefusedFragment,
		igmp.ErrTooShort:    RefusedLength,
		igmp.ErrQueryLength: RefusedLength,
		igmp.ErrChecksum:    RefusedChecksum,
		igmp.ErrSources:     RefusedLists,
		igmp.ErrRecords:     RefusedLists,
		igmp.ErrTooLong:     RefusedMalformed,
		errors.New("new"):   RefusedMalformed,
	} {
		require.Equal(t, want, refusal(err), err)
	}
}

func TestCountersAreACopy(t *testing.T) {
	s := New(Config{})
	before := s.Counters()
	s.Frame(1, nil, t0)
	require.Zero(t, before.Frames.Total())
	require.Equal(t, uint64(1), s.Counters().Frames[RefusedFrame])
}
