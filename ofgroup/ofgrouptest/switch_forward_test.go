package ofgrouptest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// recordedFrom are the messages that Open vSwitch sent, by the end of their names in the
// records of the package that is tested here for others.
func recordedFrom(t *testing.T, prefix string) map[string][]byte {
	t.Helper()
	f, err := os.Open("../testdata/groups.jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	all := make(map[string][]byte)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v struct{ Name, Hex string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		if name, ok := strings.CutPrefix(v.Name, prefix); ok {
			all[name], err = hex.DecodeString(v.Hex)
			require.NoError(t, err)
		}
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}

// asksForNews makes a connection hear of what others do to groups.
func asksForNews(c *client) {
	config := be.AppendUint16([]byte{0, 0}, 0xffff)
	require.Empty(c.tb, c.do(message(openflow.Version15, openflow.TypeSetConfig, 0, config)))
	require.Empty(c.tb, c.do(message(openflow.Version15, openflow.TypeSetAsync, 0, appendProp(nil, 2*asyncRequestForward+1, 1))))
}

func TestOthersHearOfGroupModsAsFromOpenVSwitch(t *testing.T) {
	recorded := recordedFrom(t, "of15-requestforward-")
	sw := newSwitch(t)
	listener, other, deaf := dial(t, sw), dial(t, sw), dial(t, sw)
	asksForNews(listener)
	type patch func(m []byte) []byte
	asIs := func(m []byte) []byte { return m }
	untyped := func(m []byte) []byte { m[10] = 0; return m } // as ovs-ofctl writes it
	for _, step := range []struct {
		name    string
		request patch // made of what is told of it
	}{
		{"add", asIs}, {"modify", asIs},
		{"add-or-mod-existing", func(m []byte) []byte { m[8] = 0x80; return m }},
		{"add-or-mod-new", func(m []byte) []byte { m[8] = 0x80; return m }},
		{"insert-bucket", untyped},
		{"insert-bucket-no-weight", func(m []byte) []byte {
			m = untyped(m[:len(m)-8]) // without the weight
			m[3], m[17], m[25] = m[3]-8, m[17]-8, m[25]-8
			return m
		}},
		{"remove-bucket", untyped}, {"hash", asIs}, {"delete", asIs},
	} {
		want := recorded[step.name]
		require.NotEmpty(t, want, step.name)
		request := step.request(bytes.Clone(want[openflow.HeaderLen:]))
		require.Nil(t, other.verdict(request), step.name)
		openflow.PutXID(want[openflow.HeaderLen:], other.xid)
		require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(listener.receive()), step.name)
		f, err := ofgroup.ParseRequestForward(want)
		require.NoError(t, err)
		require.NotNil(t, f.Mod)
	}
	require.NotNil(t, other.verdict(groupModMessage(cmdModify, typeAll, 5)), "refused, and so not told")
	require.Nil(t, listener.verdict(groupModMessage(cmdAdd, typeAll, 5)), "nobody hears of himself")
	require.Empty(t, deaf.do(barrier(1)), "nor who did not ask")
}

func TestAGroupThatIsPreloadedIsSomebodyElsesDoing(t *testing.T) {
	sw := newSwitch(t)
	listener := dial(t, sw)
	asksForNews(listener)
	require.NoError(t, sw.Preload(ofgroup.DeleteAll(ofgroup.OpenFlow15)))
	f, err := ofgroup.ParseRequestForward(listener.receive())
	require.NoError(t, err)
	require.Equal(t, ofgroup.AllGroups, f.Mod.Group().ID())
}

func multipartRequest(kind byte, body ...byte) []byte {
	return message(openflow.Version15, openflow.TypeMultipartRequest, 0, append([]byte{0, kind, 0, 0, 0, 0, 0, 0}, body...))
}

func TestStatisticsTellAgeAndUsersOfAGroup(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1, 2)))
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 8)))
	require.NoError(t, sw.AddFlow(7))
	ask := func(id uint32) []ofgroup.GroupStats {
		replies := c.do(multipartRequest(openflow.MultipartGroup, be.AppendUint64(nil, uint64(id)<<32)...))
		require.Len(t, replies, 1)
		stats, err := ofgroup.ParseGroupStats(ofgroup.OpenFlow15, replies[0][openflow.MultipartHeaderLen:])
		require.NoError(t, err)
		return stats
	}
	all := ask(allGroups)
	require.Len(t, all, 2)
	require.EqualValues(t, 7, all[0].ID)
	require.EqualValues(t, 1, all[0].RefCount)
	require.Len(t, all[0].Buckets, 2)
	require.Len(t, ask(8), 1)
	require.Empty(t, ask(9))
}

func TestFeaturesAreThoseOfOpenVSwitch(t *testing.T) {
	want := recordedFrom(t, "of15-group-features")[""]
	got := dial(t, newSwitch(t)).do(multipartRequest(openflow.MultipartGroupFeatures))
	require.Len(t, got, 1)
	openflow.PutXID(got[0], xidOf(want))
	require.Equal(t, want, got[0])
}
