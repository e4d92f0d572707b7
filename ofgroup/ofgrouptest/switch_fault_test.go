package ofgrouptest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

func TestRefusalIsAnsweredAndNotObeyed(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	sw.Refuse(Refusal{Type: openflow.ErrorGroupModFailed, Code: openflow.GroupPermission})
	require.Equal(t, &Refusal{6, 14}, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	require.Empty(t, c.describe(7))
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)), "once, unless said otherwise")
	require.Equal(t, 2, sw.GroupMods(), "a refused message counts")
	log := sw.GroupModLog()
	require.Len(t, log, 2)
	require.Equal(t, &Refusal{6, 14}, log[0].Refused)
	require.Nil(t, log[1].Refused)
	require.Equal(t, log[0].Message[8:], groupModMessage(cmdAdd, typeAll, 7, 1)[8:])
}

func TestFaultsSkipCountAndAreDisarmed(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	try := func() *Refusal { return c.verdict(groupModMessage(cmdAddOrMod, typeAll, 7, 1)) }
	disarm := sw.Inject(Fault{Skip: 1, Times: 2, Refuse: &Refusal{6, 3}})
	second := sw.Inject(Fault{Times: -1, Refuse: &Refusal{6, 4}})
	require.Equal(t, &Refusal{6, 4}, try(), "what the first one skips, the second one strikes")
	require.Equal(t, &Refusal{6, 3}, try())
	require.Equal(t, &Refusal{6, 3}, try())
	require.Equal(t, &Refusal{6, 4}, try())
	require.Equal(t, &Refusal{6, 4}, try())
	second()
	second()
	disarm()
	require.Nil(t, try())
}

func TestIgnoredIsNotObeyedAndMuteIs(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	sw.Inject(Fault{Ignore: true})
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	require.Empty(t, c.describe(7))
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	sw.Inject(Fault{Mute: true})
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)), "refused, but the refusal is lost")
	require.Equal(t, groupExists.refusal(), sw.GroupModLog()[2].Refused)
}

func TestAnswersComeTwice(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	sw.Inject(Fault{On: MsgBarrierRequest, Twice: true})
	c.send(barrier(5))
	require.Equal(t, c.receive(), c.receive())
	c.send(barrier(6))
	require.EqualValues(t, 6, xidOf(c.receive()))
}

func TestADelayedAnswerKeepsItsPlaceAndItsMessageIsObeyedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newSwitch(t)
		c := dial(t, sw)
		sw.Inject(Fault{Delay: time.Minute})
		start := time.Now()
		c.send(append(groupModMessage(cmdAdd, typeAll, 7, 1), barrier(1)...))
		synctest.Wait()
		_, held, err := sw.Group(7)
		require.NoError(t, err)
		require.True(t, held)
		c.send(barrier(2))
		require.EqualValues(t, 1, xidOf(c.receive()))
		require.Equal(t, time.Minute, time.Since(start))
		require.EqualValues(t, 2, xidOf(c.receive()))
	})
}

func TestAnAnswerIsHeldUntilLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newSwitch(t)
		c := dial(t, sw)
		letGo := make(chan struct{})
		sw.Inject(Fault{On: MsgBarrierRequest, Until: letGo})
		c.send(barrier(1))
		got := make(chan []byte)
		go func() { got <- c.receive() }()
		time.Sleep(time.Hour)
		require.Empty(t, got)
		close(letGo)
		require.EqualValues(t, 1, xidOf(<-got))
	})
}

func TestCloseAfterTheAnswerOrWithoutOne(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	sw.Inject(Fault{On: MsgBarrierRequest, Close: true})
	c.send(barrier(1))
	require.EqualValues(t, 1, xidOf(c.receive()))
	c.requireEnd()

	c = dial(t, sw)
	sw.Inject(Fault{Close: true})
	c.send(groupModMessage(cmdAdd, typeAll, 7, 1))
	c.requireEnd()
	require.NotEmpty(t, dial(t, sw).describe(7), "obeyed before the end")
}

func TestDisconnectEndsAWaitingAnswer(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	sw.Inject(Fault{On: MsgBarrierRequest, Delay: time.Hour})
	sw.Inject(Fault{On: MsgEchoRequest, Until: make(chan struct{})})
	c.send(barrier(1))
	other := dial(t, sw)
	other.send(message(openflow.Version15, openflow.TypeEchoRequest, 1, nil))
	sw.Disconnect()
	c.requireEnd()
	other.requireEnd()
}

func TestTheSwitchSpeaksUnasked(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	echo := message(openflow.Version15, openflow.TypeEchoRequest, 77, []byte("there?"))
	sw.Send(echo)
	require.Equal(t, echo, c.receive())
	c.send(message(openflow.Version15, openflow.TypeEchoReply, 77, []byte("there?")))
	c.send(barrier(1))
	require.EqualValues(t, 1, xidOf(c.receive()), "a reply is not answered")
	require.Equal(t, 1, sw.Count(MsgEchoReply))
}

func TestTheLogForgetsTheOldestAndOwnsItsMemory(t *testing.T) {
	one := groupModMessage(cmdAddOrMod, typeAll, 1, 1)
	sw := NewSwitch(SwitchConfig{LogBytes: 3*(len(one)+logOverhead) + 3*(openflow.HeaderLen+logOverhead)})
	defer sw.Close()
	c := dial(t, sw)
	for id := range uint32(5) {
		c.verdict(groupModMessage(cmdAddOrMod, typeAll, id, 1))
	}
	log := sw.GroupModLog()
	require.Len(t, log, 3)
	require.EqualValues(t, 2, be.Uint32(log[0].Message[12:]))
	log[0].Message[12] = 0xff
	require.Zero(t, sw.GroupModLog()[0].Message[12])
	require.Equal(t, 5, sw.GroupMods())
	sw.ResetCounts()
	require.Empty(t, sw.GroupModLog())
	require.Zero(t, sw.GroupMods())
	held, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, held, 5)
}

func TestDeletingAGroupDeletesTheFlowsThatUseIt(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	require.ErrorIs(t, sw.AddFlow(7), ErrNoGroup)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 8, 1)))
	require.NoError(t, sw.AddFlow(7))
	require.NoError(t, sw.AddFlow(8))
	require.Nil(t, c.verdict(groupModMessage(cmdModify, typeAll, 7, 1, 2)))
	require.Equal(t, 1, sw.FlowsTo(7), "a change in place keeps them")
	require.Nil(t, c.verdict(groupModMessage(cmdDelete, typeAll, 7)))
	require.Zero(t, sw.FlowsTo(7))
	require.Nil(t, c.verdict(deleteAll()))
	require.Zero(t, sw.FlowsTo(8))
}

func TestPreloadIsNeitherCountedNorLogged(t *testing.T) {
	sw := newSwitch(t)
	g := ofgroup.New(5, ofgroup.Select).AddBuckets(ofgroup.NewBucket(ofgroup.Output(1)))
	add, err := g.Mod(ofgroup.Add, ofgroup.OpenFlow15)
	require.NoError(t, err)
	require.NoError(t, sw.Preload(add))
	require.ErrorIs(t, sw.Preload(add), ofgroup.ErrGroupExists)
	require.Zero(t, sw.GroupMods())
	require.Empty(t, sw.GroupModLog())
	held, ok, err := sw.Group(5)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, ofgroup.Select, held.Type())
	_, ok, err = sw.Group(6)
	require.NoError(t, err)
	require.False(t, ok)
}

func TestOthersHaveSentMessagesOfAnyKind(t *testing.T) {
	sw := newSwitch(t)
	flow := message(openflow.Version15, openflow.TypeFlowMod, 0, unhex(t, flowModBody{does: applying(toGroup(7))}.String()))
	require.ErrorIs(t, sw.PreloadMessage(flow), ofgroup.ErrBadOutGroup)
	require.NoError(t, sw.PreloadMessage(groupModMessage(cmdAdd, typeAll, 7, 1)))
	require.NoError(t, sw.PreloadMessage(flow))
	require.Equal(t, 1, sw.FlowsTo(7))
	require.ErrorIs(t, sw.PreloadMessage(flow[:20]), ofgroup.ErrMalformed)
	require.ErrorIs(t, sw.PreloadMessage(nil), ofgroup.ErrMalformed)
	require.Empty(t, sw.Log())
}
