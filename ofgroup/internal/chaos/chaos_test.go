package chaos_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

func TestASwitchAndItsTableAgreeWhateverWentWrong(t *testing.T) {
	sw := ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{LogBytes: 1 << 16})
	defer func() { require.NoError(t, sw.Close()) }()
	s := newStorm(t, sw.Dial)
	stop := misbehave(s, sw)
	s.rage(duration(t))
	stop()
	s.calm()
	held, err := sw.Groups()
	require.NoError(t, err)
	s.agree(byID(held))
}

// misbehave has the switch refuse, fall silent for a while, answer twice, and restart, until
// it is stopped.
func misbehave(s *storm, sw *ofgrouptest.Switch) (stop func()) {
	random := rand.New(rand.NewPCG(s.seed, 1<<32))
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var disarm []func()
		defer func() {
			for _, d := range disarm {
				d()
			}
		}()
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			case <-ticks.C:
			}
			if n%2000 == 1999 {
				sw.Restart()
			}
			disarm = append(disarm, sw.Inject(someFault(random)))
			if len(disarm) > 16 { // one that never struck is not kept for ever
				disarm[0]()
				disarm = disarm[1:]
			}
		}
	}()
	return func() { close(over); <-done }
}

func someFault(random *rand.Rand) ofgrouptest.Fault {
	f := ofgrouptest.Fault{Skip: random.IntN(20)}
	switch random.IntN(8) {
	case 0:
		f.Twice, f.On = true, ofgrouptest.MsgBarrierRequest
	case 1:
		f.Delay, f.On = time.Duration(random.IntN(2000))*time.Microsecond, ofgrouptest.MsgBarrierRequest
	default: // the codes that a real switch could mean
		codes := []uint16{1, 3, 4, 14}
		f.Refuse = &ofgrouptest.Refusal{Type: 6, Code: codes[random.IntN(len(codes))]}
	}
	return f
}

func byID(all []ofgroup.Group) map[ofgroup.ID]ofgroup.Group {
	held := make(map[ofgroup.ID]ofgroup.Group, len(all))
	for _, g := range all {
		held[g.ID()] = g
	}
	return held
}

func TestARealSwitchThatIsKilledThreeTimesAndItsTableAgree(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	s := newStorm(t, lab.Dial)
	d := duration(t)
	killed := make(chan error, 1)
	go func() { killed <- killThrice(t.Context(), lab, d/4) }()
	s.rage(d)
	require.NoError(t, <-killed)
	s.calm()

	// By a connection of its own, so that nothing is answered from memory.
	session, err := ofconn.Open(t.Context(), ofconn.Config{Dial: lab.Dial})
	require.NoError(t, err)
	defer session.Close()
	held := make(map[ofgroup.ID]ofgroup.Group)
	for id := range ofgroup.ID(groups + 1) {
		g, has, err := session.GroupDesc(t.Context(), id)
		require.NoError(t, err)
		if has {
			held[id] = g
		}
	}
	s.agree(held)
}

// killThrice kills the switch every once in a while and starts it again.
func killThrice(ctx context.Context, lab *ovslab.Lab, every time.Duration) error {
	for range 3 {
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := lab.KillSwitch(); err != nil {
			return err
		}
		if err := lab.RestartSwitch(ctx); err != nil {
			return err
		}
	}
	return nil
}
