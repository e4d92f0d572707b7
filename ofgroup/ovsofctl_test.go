package ofgroup_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

// ofctl gives lines to `ovs-ofctl add-groups` and returns the GROUP_MODs that it sends for
// them, with transaction ID 0.
func ofctl(t *testing.T, protocol string, lines []string) [][]byte {
	t.Helper()
	mods, err := newReference(t).mods(protocol, lines)
	require.NoError(t, err)
	return mods
}

// protocols are ovs-ofctl's names of the versions.
var protocols = map[Version]string{OpenFlow13: "OpenFlow13", OpenFlow15: "OpenFlow15"}

// reference is ovs-ofctl, and a listener that plays the switch it sends to.
type reference struct {
	tool, dir string
	listener  net.Listener
}

func newReference(t *testing.T) *reference {
	t.Helper()
	tool, err := exec.LookPath("ovs-ofctl")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("ovs-ofctl is not installed")
	}
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "ofctl") // short: a socket's path has 107 bytes
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return &reference{tool, dir, listener}
}

// mods are the GROUP_MODs that it sends for the lines.
func (r *reference) mods(protocol string, lines []string) ([][]byte, error) {
	return r.sent(protocol, "add-groups", 15, lines)
}

// sent are the messages of a type that it sends when it is given the lines for a command.
func (r *reference) sent(protocol, command string, messageType byte, lines []string) ([][]byte, error) {
	mods := make(chan [][]byte, 1)
	go func() { mods <- playSwitch(r.listener, messageType) }()
	cmd := exec.Command(r.tool, "--no-names", "-O", protocol, command, "unix:"+filepath.Join(r.dir, "s"), "-")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return <-mods, nil
	}
	// It may have refused a line before it called.
	if c, err := net.Dial("unix", filepath.Join(r.dir, "s")); err == nil {
		c.Close()
	}
	<-mods
	return nil, fmt.Errorf("%w: %s", err, out)
}

// playSwitch answers one connection's hello and barriers, and keeps its messages of a type.
func playSwitch(listener net.Listener, messageType byte) (mods [][]byte) {
	conn, err := listener.Accept()
	if err != nil {
		return nil
	}
	defer conn.Close()
	for {
		header := make([]byte, 8)
		if _, err := io.ReadFull(conn, header); err != nil {
			return mods
		}
		msg := append(header, make([]byte, binary.BigEndian.Uint16(header[2:])-8)...)
		if _, err := io.ReadFull(conn, msg[8:]); err != nil {
			return mods
		}
		switch msg[1] {
		case 0: // hello, answered by our own without a bitmap
			_, err = conn.Write([]byte{msg[0], 0, 0, 8, 0, 0, 0, 1})
		case 20: // barrier
			_, err = conn.Write(append([]byte{msg[0], 21, 0, 8}, msg[4:8]...))
		case messageType:
			clear(msg[4:8])
			mods = append(mods, msg)
		}
		if err != nil {
			return mods
		}
	}
}

// printable are groups with everything that String has words for.
func printable() []Group {
	actions := []Action{
		RawAction([]byte{0, 29, 0, 8, 0, 0, 0, 9}), // a meter must come first
		Output(1), Output(0xfeff), Output(PortIn), Output(PortController), Output(PortLocal), Output(PortNormal),
		Output(PortFlood), Output(PortAll), Output(PortTable), OutputGroup(400),
		Resubmit(0), Resubmit(35), ResubmitPort(3, 10), ResubmitPort(2, 255), ResubmitPort(PortLocal, 3),
		decTTL, RawAction([]byte{0, 17, 0, 8, 0x88, 0xa8, 0, 0}), RawAction([]byte{0, 18, 0, 8, 0, 0, 0, 0}),
		RawAction([]byte{0, 21, 0, 8, 0, 0, 0, 5}),
		Set(Reg(0), 0), Set(Reg(7).Bits(16, 31), 0xffff),
		Set(XReg(7), uint64(1)<<63), Set(XXReg(3).Bits(60, 70), 1029), Set(TunDst.Bits(1, 31), 5),
		Set(IPv6Dst.Bits(120, 127), 0xff), Set(IPv6Dst.Bits(0, 63), 1), Set(UDPDst.Bits(3, 9), 77), Set(SCTPSrc, 9),
	}
	for _, a := range recordedSets {
		actions = append(actions, a)
	}
	for _, list := range recordedActions {
		actions = append(actions, list...)
	}
	for _, c := range flowActions {
		if !strings.HasPrefix(c.text, "meter") {
			actions = append(actions, c.action)
		}
	}
	actions = append(actions, fieldActions()...)
	actions = append(actions, moreActions...)
	groups := []Group{
		New(0, All), New(MaxID, All).AddBuckets(NewBucket()),
		New(1, Indirect).AddBuckets(to(PortLocal)...),
		New(2, Select).AddBuckets(weighted(3)...).AddBuckets(NewBucket(Output(1)).WithWeight(0)),
		New(3, FastFailover).AddBuckets(watched(2)...).AddBuckets(NewBucket().WithWatchGroup(7).WithWatchPort(PortController)),
		New(4, Select).AddBuckets(service(1), service(2)).WithSelection(DPHash(1, 7)),
		New(5, Select).AddBuckets(to(1)...).WithSelection(Hash(IPDst)),
		New(5, Select).WithSelection(Hash(IPDst.Bits(8, 31))),
		New(5, Select).WithSelection(Hash(Reg(0).Bits(0, 15), TunID, IPv6Src.Bits(64, 127), EthDst, TCPDst.Bits(0, 7))),
		New(6, All).AddBuckets(to(1)[0].WithID(1), to(2)[0], to(3)[0].WithID(0), to(4)[0]),
		New(7, Select).AddBuckets(to(1)[0].WithWeight(9).WithWatchPort(2).WithWatchGroup(3).WithID(MaxBucketID)),
	}
	for i, a := range actions {
		groups = append(groups, New(ID(1000+i), All).AddBuckets(NewBucket(a)))
	}
	return append(groups, New(999, All).AddBuckets(NewBucket(actions...), NewBucket(actions[:5]...)))
}

// moreActions are further forms that ovs-ofctl has words for.
var moreActions = []Action{
	ResubmitPort(0x8000, 3), ResubmitCT(0xfeff, 3), OutputTruncated(0x8000, 14), // no reserved ports
	Output(0), OutputTruncated(PortLocal, 14), OutputTruncated(PortIn, 0xffffffff),
	OutputField(InPort, 0xffff), OutputField(XXReg(0).Bits(0, 63), 0xffff), OutputField(XReg(1), 0xffff), OutputField(TunID, 0xffff),
	Copy(Reg(0), Reg(1)), Copy(EthSrc.Bits(0, 15), Reg(1).Bits(3, 18)), Copy(VLANVID, Reg(0).Bits(0, 11)),
	Copy(VLANVID.Bits(11, 11), Reg(0).Bits(0, 0)), Copy(TunID.Bits(0, 31), Reg(0)), Copy(CTState, Reg(0)), Copy(Reg(5).Bits(0, 11), VLANVID),
	Copy(TCPFlags, Reg(0).Bits(0, 11)), Copy(CTLabel, XXReg(1)),
	ResubmitCT(PortIn, 5), ResubmitCT(2, 255), ResubmitCT(PortLocal, 0), Resubmit(254), ResubmitPort(PortController, 9),
	DecTTL(0), DecTTL(1, 2, 65535), DecTTL(1, 2, 3, 4, 5), SetTTL(0), SetTTL(255), DecMPLSTTL(), SetMPLSTTL(255),
	PushMPLS(EthTypeMPLSMulticast), PopMPLS(EthTypeMPLS), SetQueue(0xffffffff), PopQueue(),
	Note(nil), Note([]byte("0123456789abcd")), Note(make([]byte, 100)),
	Clone(Set(Reg(0).Bits(0, 3), 1), Copy(Reg(0), Reg(1)), Output(2)), Clone(Clone(Clone(Clone(Set(XXReg(0).Bits(3, 99), 7))))),
	CT(CTAction{}), CT(CTAction{Recirculate: true}), CT(CTAction{Recirculate: true, Table: 254}), CT(CTAction{Zone: 0xffff}),
	CT(CTAction{ZoneField: Reg(0).Bits(4, 19), Recirculate: true, Table: 3}), CT(CTAction{ZoneField: CTZone}), CT(CTAction{ZoneField: InPort}),
	CT(CTAction{Commit: true, ALG: ALGTFTP}), CT(CTAction{NAT: &NAT{}}), CT(CTAction{Commit: true, NAT: &NAT{}}),
	CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource}}), CT(CTAction{Commit: true, NAT: &NAT{Kind: NATDestination, Persistent: true}}),
	CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.1"), Max: addr("192.0.2.9")}}),
	CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.1"), Max: addr("192.0.2.9"), MinPort: 1, MaxPort: 65535, Random: true}}),
	CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("2001:db8::1")}}),
	CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("2001:db8::1"), Max: addr("2001:db8::2"), Hash: true}}),
	CT(CTAction{Commit: true, NAT: &NAT{Kind: NATSource, Min: addr("2001:db8::1"), MinPort: 80}}),
	CT(CTAction{
		Commit: true, Force: true, Zone: 5, Recirculate: true, Table: 7, NAT: &NAT{Kind: NATSource, Min: addr("192.0.2.1")},
		Exec: []Action{Set(CTMark.Bits(0, 3), 1), Set(CTLabel, 5), Copy(Reg(0), CTMark), Copy(XXReg(0), CTLabel)}, ALG: ALGFTP,
	}),
	lateNAT(), twoNATs(),
}

func TestOvsOfctlTakesEveryLineAndSendsTheSameBytes(t *testing.T) {
	groups := printable()
	var lines []string
	var want [][]byte
	for _, g := range groups {
		lines = append(lines, g.String())
		want = append(want, encode(t, g, Add, OpenFlow15))
		for _, cmd := range []Command{Modify, AddOrMod, Delete} {
			m, err := g.Mod(cmd, OpenFlow15)
			require.NoError(t, err)
			lines = append(lines, m.String())
			want = append(want, marshal(t, m))
		}
	}
	for _, v := range vectors(t, "group_mod") {
		m := decode(t, v.bytes)
		if m.Version() == OpenFlow15 && m.CommandBucket() != AllBuckets && m.Command() != Delete && m.Group().Type() == All {
			lines = append(lines, m.String())
			b := append([]byte(nil), v.bytes...)
			clear(b[4:8])
			want = append(want, b)
		}
	}
	got := ofctl(t, "OpenFlow15", lines)
	require.Len(t, got, len(want))
	for i := range want {
		requireBytes(t, want[i], got[i], lines[i])
	}
}

func TestOvsOfctlSendsTheSameBytesInOpenFlow13(t *testing.T) {
	var lines []string
	var want [][]byte
	for _, g := range printable() {
		if m, err := g.Mod(Modify, OpenFlow13); err == nil {
			lines = append(lines, m.String())
			want = append(want, marshal(t, m))
		}
	}
	require.Greater(t, len(want), 60)
	got := ofctl(t, "OpenFlow13", lines)
	require.Len(t, got, len(want))
	for i := range want {
		requireBytes(t, want[i], got[i], lines[i])
	}
}

// Open vSwitch prints such masks, and takes their first digits for the length of a prefix.
func TestOvsOfctlTakesMasksThatBeginLikeTheLengthOfAPrefix(t *testing.T) {
	var lines []string
	var want [][]byte
	for i, f := range []Field{IPv6Dst.Bits(16, 113), IPv6Src.Bits(3, 122), TunIPv6Dst.Bits(1, 127), IPv6Dst.Bits(64, 127)} {
		g := New(ID(i), All).AddBuckets(NewBucket(Set(f, 5)))
		lines, want = append(lines, g.String()), append(want, encode(t, g, Add, OpenFlow15))
	}
	for i, b := range ofctl(t, "OpenFlow15", lines) {
		requireBytes(t, want[i], b, lines[i])
	}
}
