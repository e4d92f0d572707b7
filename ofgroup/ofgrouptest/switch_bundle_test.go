package ofgrouptest

import (
	"encoding/hex"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

const allOrNone = openflow.BundleAtomic | openflow.BundleOrdered

func control(id uint32, step openflow.BundleStep, flags uint16) []byte {
	return openflow.AppendBundleControl(nil, openflow.Version15, openflow.BundleControl{ID: id, Step: step, Flags: flags})
}

// adding is a BUNDLE_ADD; do numbers it, and what is in it.
func adding(c *client, id uint32, m []byte) []byte {
	b, ok := openflow.AppendBundleAdd(nil, openflow.Version15, openflow.BundleAdd{ID: id, Flags: allOrNone, Message: m})
	require.True(c.tb, ok)
	openflow.PutBundleXID(b, c.xid+1)
	return b
}

func TestABundleIsCarriedOutAtOnce(t *testing.T) {
	sw := newSwitch(t)
	c, listener := dial(t, sw), dial(t, sw)
	asksForNews(listener)
	require.Len(t, c.do(control(1, openflow.BundleOpen, allOrNone)), 1)
	require.Empty(t, c.do(adding(c, 1, groupModMessage(cmdAdd, typeAll, 7, 1))))
	require.Empty(t, c.do(adding(c, 1, groupModMessage(cmdModify, typeAll, 7, 1, 2))))
	require.Zero(t, len(held(t, sw)), "not before the commit")
	replies := c.do(control(1, openflow.BundleCommit, allOrNone))
	require.Len(t, replies, 1)
	done, ok := openflow.ParseBundleControl(replies[0])
	require.True(t, ok)
	require.Equal(t, openflow.BundleControl{ID: 1, Step: openflow.BundleCommitted}, done)
	groups := held(t, sw)
	require.Len(t, groups, 1)
	require.Equal(t, 2, groups[0].Len())
	for range 2 {
		_, err := ofgroup.ParseRequestForward(listener.receive())
		require.NoError(t, err)
	}
}

func held(t *testing.T, sw *Switch) []ofgroup.Group {
	t.Helper()
	groups, err := sw.Groups()
	require.NoError(t, err)
	return groups
}

// A bundle that fails is told in the two errors that Open vSwitch was recorded to send.
func TestOfABundleThatFailsNothingIsDone(t *testing.T) {
	recorded := recordedFrom(t, "of15-error-bundle-fails-group-exists-")
	sw := newSwitch(t)
	c, listener := dial(t, sw), dial(t, sw)
	asksForNews(listener)
	_, want := recorded["1"][:12], recorded["2"][:12]
	c.do(control(1, openflow.BundleOpen, allOrNone))
	c.do(adding(c, 1, groupModMessage(cmdAdd, typeAll, 7, 1)))
	second := adding(c, 1, groupModMessage(cmdAdd, typeAll, 7, 2))
	require.Empty(t, c.do(second))
	added := c.xid

	c.xid++
	commit := control(1, openflow.BundleCommit, allOrNone)
	openflow.PutXID(commit, c.xid)
	c.send(commit)
	first, last := c.receive(), c.receive()
	require.Equal(t, recorded["1"][8:12], first[8:12])
	require.Equal(t, added, xidOf(first), "the message to blame")
	require.Equal(t, second, first[12:], "quoted")
	require.Equal(t, want[8:], last[8:12])
	require.Equal(t, commit, last[12:])
	require.Empty(t, held(t, sw))
	require.Empty(t, listener.do(barrier(1)), "nothing is told of what was not done")

	require.Equal(t, bundleBadID.refusal(), c.verdict(control(1, openflow.BundleCommit, allOrNone)), "it is gone")
}

// What Open vSwitch was recorded to answer to bundles, message by message.
func TestBundlesAreAnsweredAsByOpenVSwitch(t *testing.T) {
	all := recordedFrom(t, "of15-")
	for name, reply := range all {
		if !strings.HasPrefix(name, "bundle-") || !strings.HasSuffix(name, "-open-reply") {
			continue
		}
		c := dial(t, newSwitch(t))
		got := c.do(control(0, openflow.BundleOpen, allOrNone))
		require.Len(t, got, 1)
		openflow.PutXID(got[0], xidOf(reply))
		require.Equal(t, hex.EncodeToString(reply), hex.EncodeToString(got[0]), name)
	}
	bad := all["error-bundle-fails-decode-bad-bucket-1"]
	c := dial(t, newSwitch(t))
	c.do(control(0, openflow.BundleOpen, allOrNone))
	c.send(bad[12:])
	require.Equal(t, hex.EncodeToString(bad), hex.EncodeToString(c.receive()), "refused before the commit")
}

func TestWhatIsWrongWithABundle(t *testing.T) {
	open, commit, discard, closing := openflow.BundleOpen, openflow.BundleCommit, openflow.BundleDiscard, openflow.BundleClose
	for _, test := range []struct {
		name  string
		steps [][]byte // the last one is refused
		want  verdict
	}{
		{"unknown", [][]byte{control(5, commit, allOrNone)}, bundleBadID},
		{"opened twice", [][]byte{control(5, open, allOrNone), control(5, open, allOrNone)}, bundleBadID},
		{"used after that", [][]byte{control(5, open, allOrNone), control(5, open, allOrNone), control(5, commit, allOrNone)}, bundleBadID},
		{"discarded", [][]byte{control(5, open, allOrNone), control(5, discard, allOrNone), control(5, commit, allOrNone)}, bundleBadID},
		{"closed twice", [][]byte{control(5, open, allOrNone), control(5, closing, allOrNone), control(5, closing, allOrNone)}, bundleClosed},
		{"other flags", [][]byte{control(5, open, allOrNone), control(5, commit, 1)}, bundleBadFlags},
		{"no such flags", [][]byte{control(5, open, 4)}, bundleBadFlags},
		{"an answer", [][]byte{control(5, openflow.BundleOpened, allOrNone)}, bundleBadType},
	} {
		c := dial(t, newSwitch(t))
		for _, s := range test.steps[:len(test.steps)-1] {
			c.do(s)
		}
		require.Equal(t, test.want.refusal(), c.verdict(test.steps[len(test.steps)-1]), test.name)
	}
}

func TestWhatCannotBeInABundle(t *testing.T) {
	c := dial(t, newSwitch(t))
	c.do(control(5, openflow.BundleOpen, allOrNone))
	old := groupModMessage(cmdAdd, typeAll, 7)
	old[0] = openflow.Version13
	long := groupModMessage(cmdAdd, typeAll, 7)
	long[3]++
	short := groupModMessage(cmdAdd, typeAll, 7)[:20]
	short[3] = 20
	for name, test := range map[string]struct {
		m    []byte
		want verdict
	}{
		"a barrier": {barrier(1), bundleMsgUnsup}, "another version": {old, badVersion},
		"too long": {long, bundleMsgBadLen}, "too short": {short, badLen},
	} {
		require.Equal(t, test.want.refusal(), c.verdict(adding(c, 5, test.m)), name)
	}
	other := adding(c, 5, groupModMessage(cmdAdd, typeAll, 7))
	openflow.PutXID(other[16:], 99)
	require.Equal(t, bundleMsgBadXID.refusal(), c.verdict(other), "another transaction ID")
	require.Equal(t, badLen.refusal(), c.verdict(message(openflow.Version15, openflow.TypeBundleAdd, 0, make([]byte, 8))))
	c.do(control(5, openflow.BundleClose, allOrNone))
	require.Equal(t, bundleClosed.refusal(), c.verdict(adding(c, 5, groupModMessage(cmdAdd, typeAll, 7))))
}

func TestABundleThatIsIdleIsThrownAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, newSwitch(t))
		c.do(control(5, openflow.BundleOpen, allOrNone))
		time.Sleep(bundleIdle + time.Second)
		require.Equal(t, bundleBadID.refusal(), c.verdict(control(5, openflow.BundleCommit, allOrNone)))
	})
}
