package routesbench

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ofmcast/ofmcast/mroute"
)

// least is how many streams begin, whatever b.N says, for a median that means something.
const least = 200

// The first packet of a new stream, from when it is sent to when the kernel has the route: it sends on then what it kept,
// and stamps it. Ours and smcroute take turns, each in a namespace of the same layout.
func BenchmarkFirstPacket(b *testing.B) {
	ours, theirs := newWire(b), newWire(b)
	ours.ns.run(b, func() error { return begin(b) })
	if path, err := exec.LookPath("smcrouted"); err == nil {
		theirs.ns.run(b, func() error { return smcroute(b, path) })
	} else {
		b.Skip("needs smcroute")
	}
	var us, them []float64
	measure := func() {
		us = append(us, ours.first(b))
		them = append(them, theirs.first(b))
	}
	for range least {
		measure()
	}
	for b.Loop() {
		measure()
	}
	report(b, us, them, "smcroute")
}

// begin has a Router route, until the benchmark ends.
func begin(b *testing.B) error {
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		return err
	}
	r, err := mroute.NewRouter(s, mroute.RouterConfig{Inputs: []string{"in0"}, Policy: func(mroute.Flow) mroute.Decision {
		return mroute.Decision{Out: []mroute.Out{{Interface: "out0"}}}
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-ended; _ = s.Close() })
	_, err = r.Status(ctx) // its input is there
	return err
}

// smcroute starts smcroute, until the benchmark ends.
func smcroute(b *testing.B, path string) error {
	at := func(name string) string { return filepath.Join(b.TempDir(), name) }
	conf, pid := at("conf"), at("pid")
	err := os.WriteFile(conf, []byte("phyint in0 enable\nphyint out0 enable\nmroute from in0 group 239.0.0.0/8 to out0\n"), 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(path, "-n", "-N", "-f", conf, "-P", pid, "-u", at("sock"))
	if err := cmd.Start(); err != nil {
		return err
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(pid); err == nil {
			return nil
		}
	}
	return os.ErrDeadlineExceeded
}

// wire is both ends of a router: frames go in at from0 and come out at to0. They are in another namespace, because the
// kernel stamps a packet when it enters one.
type wire struct {
	ns       *namespace
	from, to int
	n        uint16
}

func newWire(b *testing.B) *wire {
	w := &wire{}
	var around *namespace
	w.ns, around = newRouter(b)
	around.run(b, func() error {
		from, to, err := indexes("from0", "to0")
		if err != nil {
			return err
		}
		if w.from, err = packetSocket(from, 0); err != nil {
			return err
		}
		if w.to, err = packetSocket(to, unix.ETH_P_IP); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(w.to, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
			return err
		}
		return unix.SetsockoptTimeval(w.to, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 10})
	})
	b.Cleanup(func() { _ = unix.Close(w.from); _ = unix.Close(w.to) })
	return w
}

func packetSocket(index, protocol int) (int, error) {
	big := binary.NativeEndian.Uint16([]byte{byte(protocol >> 8), byte(protocol)})
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(big))
	if err != nil {
		return -1, err
	}
	return fd, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: big, Ifindex: index})
}

// first sends the first packet of another stream, and returns how long it took to come out, in ns.
func (w *wire) first(b *testing.B) float64 {
	w.n++
	group := netip.AddrFrom4([4]byte{239, 1, byte(w.n >> 8), byte(w.n)})
	sent := time.Now()
	_, err := unix.Write(w.from, frame(group))
	require.NoError(b, err)
	buf, oob := make([]byte, 1500), make([]byte, 128)
	for {
		n, oobn, _, _, err := unix.Recvmsg(w.to, buf, oob, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		require.NoError(b, err, "%v has no route", group)
		if n >= 34 && netip.AddrFrom4([4]byte(buf[30:34])) == group {
			return float64(stamp(b, oob[:oobn]).Sub(sent))
		}
	}
}

// stamp is when the kernel had a packet.
func stamp(b *testing.B, oob []byte) time.Time {
	messages, err := unix.ParseSocketControlMessage(oob)
	require.NoError(b, err)
	require.Len(b, messages, 1)
	d := messages[0].Data
	return time.Unix(int64(binary.NativeEndian.Uint64(d)), int64(binary.NativeEndian.Uint64(d[8:])))
}

// frame is an empty UDP packet to a group.
func frame(group netip.Addr) []byte {
	g, s := group.As4(), source.As4()
	f := []byte{1, 0, 0x5e, g[1] & 0x7f, g[2], g[3], 2, 0, 0, 0, 0, 1, 8, 0}
	ip := []byte{0x45, 0, 0, 28, 0, 0, 0, 0, 16, 17, 0, 0, s[0], s[1], s[2], s[3], g[0], g[1], g[2], g[3]}
	sum := 0
	for i := 0; i < len(ip); i += 2 {
		sum += int(binary.BigEndian.Uint16(ip[i:]))
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum+sum>>16))
	return append(append(f, ip...), 0x13, 0x88, 0x13, 0x88, 0, 8, 0, 0)
}
