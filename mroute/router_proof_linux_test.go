package mroute

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each of many streams comes to exactly those that joined, before it began or after, once.
func TestManyStreamsComeOnceToWhoJoinedAndToNobodyElse(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	const sources, groups, receivers = 4, 15, 2
	from := newHost(t, 1)
	for n := range sources - 1 {
		require.NoError(t, from.run(func() error { return runIP(nil, fmt.Sprintf("addr add 10.0.1.%d/24 dev eth0", 3+n)) }))
	}
	var w wishes
	var senders []sender
	for n := range sources {
		addr := fmt.Sprintf("10.0.1.%d", 2+n)
		senders = append(senders, sender{from.senderAt(t, addr), addr})
	}
	inboxes := make([][]*net.UDPConn, receivers)
	for n := range receivers {
		h := newHost(t, 2+n)
		for g := range groups {
			inboxes[n] = append(inboxes[n], h.udp(t, groupAt(g)+":5000"))
		}
	}
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, NegativeAfter: time.Hour})
	wants := func(round, receiver, g int) bool { return (g>>receiver+round)%3 != 0 }
	for round := range 4 {
		for g := range groups {
			var to []string
			for n := range receivers {
				if wants(round, n, g) {
					to = append(to, fmt.Sprintf("v%d", 2+n))
				}
			}
			w.set(groupAt(g), to...)
			require.NoError(t, r.Refresh(t.Context(), netip.MustParseAddr(groupAt(g))))
		}
		for g := range groups {
			for _, s := range senders {
				send(t, s.conn, groupAt(g), fmt.Sprint(round, " ", s.addr))
			}
		}
		for g := range groups {
			for n := range receivers {
				for _, s := range senders {
					if wants(round, n, g) {
						require.Equal(t, fmt.Sprint(round, " ", s.addr), receive(t, inboxes[n][g]))
					}
				}
			}
		}
		until(t, func() bool { return packets(t, r) == uint64((round+1)*sources*groups) }) // the unwanted ones too
	}
	require.Len(t, status(t, r).Entries, sources*groups)
	require.Equal(t, RouterStats{NoCache: sources * groups}, status(t, r).Stats)
}

func packets(t *testing.T, r *Router) (n uint64) {
	t.Helper()
	for _, e := range status(t, r).Entries {
		n += e.Packets
	}
	return n
}

func groupAt(n int) string { return fmt.Sprintf("233.252.0.%d", 1+n) }

// flood sends numbers, a thousand a second, until the function that it returns is called, which then says how many.
func flood(c *net.UDPConn) (stop func() int) {
	end, sent := make(chan struct{}), make(chan int)
	go func() {
		n, err := sendNumbers(c, end)
		if err != nil {
			n = -1
		}
		sent <- n
	}()
	return func() int { close(end); return <-sent }
}

func TestReceiverWhoStaysLosesNothingWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	dummies(t, 3)
	var w wishes
	w.set(group.String(), "v2")
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	out := to.udp(t, group.String()+":5000")
	require.NoError(t, out.SetReadBuffer(4<<20))
	in := from.sender(t)
	send(t, in, group.String(), "the kernel keeps few packets until there is a route")
	receive(t, out)
	stop := flood(in)
	for n := range 300 {
		w.set(group.String(), [][]string{{"v2"}, {"d0", "v2"}, {"v2", "d2"}, {"d1", "d0", "v2"}}[n%4]...)
		require.NoError(t, r.Refresh(t.Context(), group))
		require.Equal(t, strconv.Itoa(n), receive(t, out))
	}
	for n, last := 300, stop(); n < last; n++ {
		require.Equal(t, strconv.Itoa(n), receive(t, out))
	}
	require.Zero(t, status(t, r).Stats.Lost)
}

func TestStreamGoesOnWhenItsInterfaceIsUpAgain(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	var w wishes
	w.set(group.String(), "v2")
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	send(t, in, group.String(), "before")
	require.Equal(t, "before", receive(t, out))
	for _, name := range []string{"v1", "v2"} {
		ip(t, "link set "+name+" down", "link set "+name+" up")
		for text := ""; text != name; {
			send(t, in, group.String(), name)
			require.NoError(t, out.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
			b := make([]byte, 100)
			n, _ := out.Read(b)
			text = string(b[:n])
		}
	}
	require.Equal(t, RouterStats{NoCache: 1}, status(t, r).Stats)
}

// Each has its own VIFs and routes, and the rules of the second say what comes to it.
func TestTwoTablesOfOneNamespaceRouteSideBySide(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	a, b, to := newHost(t, 1), newHost(t, 3), newHost(t, 2)
	var w wishes
	w.set(group.String(), "v2")
	first := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	s, err := Open(Config{Table: 77})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	second := runNow(t, s, RouterConfig{Inputs: []string{"v3"}, Policy: w.policy})
	until(t, func() bool { vifs, err := s.VIFs(); return err == nil && len(vifs) == 1 && ruled(t, "v3") })

	out := to.udp(t, group.String()+":5000")
	send(t, a.sender(t), group.String(), "by 253")
	require.Equal(t, "by 253", receive(t, out))
	send(t, b.sender(t), group.String(), "by 77")
	require.Equal(t, "by 77", receive(t, out))
	require.Equal(t, "v1", entries(t, first, 1)[0].In)
	require.Equal(t, "v3", entries(t, second, 1)[0].In)

	require.NoError(t, s.Close())
	require.False(t, ruled(t, "v3"), "its rule goes with it")
}

// ruled says whether there is a rule for what arrives at an interface.
func ruled(t *testing.T, name string) bool {
	t.Helper()
	out, err := exec.Command("ip", "mrule", "show", "iif", name).Output()
	require.NoError(t, err)
	return len(out) > 0
}

// With hardly any room for upcalls most are lost, and asked again with the next packets.
func TestStreamsWhoseUpcallsFoundNoRoomAreRoutedLater(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from := newHost(t, 1)
	newHost(t, 2)
	const streams = 300
	s, err := Open(Config{ReadBuffer: 16 << 10})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	sendAll := func(in *net.UDPConn) {
		for n := range streams {
			send(t, in, fmt.Sprintf("239.1.%d.%d", n/250, n%250), "x")
		}
	}
	// Nobody reads while the first round comes.
	_, err = s.AddVIF(index(t, "v1"))
	require.NoError(t, err)
	in := from.sender(t)
	sendAll(in)
	r := run(t, s, RouterConfig{
		Inputs: []string{"v1"}, StaleAfter: time.Hour,
		Policy: func(Flow) Decision { return Decision{Out: []Out{{Interface: "v2"}}} },
	})
	require.Less(t, len(status(t, r).Entries), streams, "the room was too small")
	until(t, func() bool {
		sendAll(in)
		return len(status(t, r).Entries) == streams
	})
}

// A second socket with the right to change the table, as another daemon or a tool has it.
func TestWhatAnotherToolDoesToTheTableIsUndone(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	dummies(t, 1)
	var w wishes
	w.set(group.String(), "v2")
	s := open(t)
	r := run(t, s, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, Tick: 20 * time.Millisecond})
	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	send(t, in, group.String(), "first")
	require.Equal(t, "first", receive(t, out))

	tool, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.IPPROTO_IGMP)
	require.NoError(t, err)
	defer syscall.Close(tool)
	good := []string{"(10.0.1.2, 233.252.0.1) v1 > v2"}
	negative := mfcctl(SG{source, group}.key(), 0, ttls{})
	for n, do := range []func() error{
		func() error { return setInt(tool, mrtFlush, int(FlushRoutes)) },
		func() error { return setInt(tool, mrtFlush, int(FlushRoutes|FlushVIFs)) },
		func() error {
			return syscall.SetsockoptString(tool, syscall.IPPROTO_IP, mrtAddMFC, string(negative[:]))
		},
		func() error {
			return syscall.SetsockoptString(tool, syscall.IPPROTO_IP, mrtDelMFC, string(negative[:]))
		},
	} {
		before := status(t, r).Stats.Lost
		require.NoError(t, do())
		until(t, func() bool { return status(t, r).Stats.Lost > before && slices.Equal(good, ipMroute(t)) })
		text := fmt.Sprint("after ", n)
		until(t, func() bool {
			send(t, in, group.String(), text)
			require.NoError(t, out.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
			b := make([]byte, 100)
			n, _ := out.Read(b)
			return string(b[:n]) == text
		})
	}
	require.NoError(t, s.Close())
	require.Empty(t, ipMroute(t), "nothing of it became somebody else's")
}

// The kernel makes no upcalls for packets at the wrong interface; its counter of them rises.
func TestStreamThatMovesIsFollowedByItsCountersToo(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	a, b, to := newHost(t, 1), newHost(t, 3), newHost(t, 2)
	require.NoError(t, b.run(func() error { return runIP(nil, "addr add 10.0.1.2/32 dev eth0") }))
	sysctl(t, "conf/all/rp_filter", "0")
	sysctl(t, "conf/v3/rp_filter", "0")
	var w wishes
	w.set(group.String(), "v2")
	s := open(t)
	require.NoError(t, setInt(s.kernel.(*routingSocket).fd, mrtPIM, 0))
	r := run(t, s, RouterConfig{
		Inputs: []string{"v1", "v3"}, Policy: w.policy, MoveAfter: 100 * time.Millisecond, Tick: 20 * time.Millisecond,
	})
	out := to.udp(t, group.String()+":5000")
	send(t, a.sender(t), group.String(), "there")
	require.Equal(t, "there", receive(t, out))
	in := b.senderAt(t, "10.0.1.2")
	until(t, func() bool {
		send(t, in, group.String(), "here")
		e := status(t, r).Entries
		return len(e) == 1 && e[0].In == "v3"
	})
	require.Equal(t, "here", receive(t, out))
	require.Zero(t, status(t, r).Stats.WrongVIF)
}

// Flaps of everything at once, and then it is as if nothing had been.
func TestStreamsAreWholeAgainAfterInterfacesFlapped(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	dummies(t, 3)
	var w wishes
	for g := range 10 {
		w.set(groupAt(g), "v2", "d0", "d1", "d2")
	}
	r := run(t, open(t), RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, Tick: 20 * time.Millisecond})
	in := from.sender(t)
	for g := range 10 {
		send(t, in, groupAt(g), "x")
	}
	entries(t, r, 10)
	for range 10 {
		name := fmt.Sprintf("d%d", rand.IntN(3))
		ip(t, "link del "+name, "link add "+name+" type veth peer name nowhere"+name[1:], "link set "+name+" up")
	}
	until(t, func() bool {
		for _, e := range status(t, r).Entries {
			if len(e.Out) != 4 || e.Pending {
				return false
			}
		}
		return true
	})
	for g := range 10 {
		out := to.udp(t, groupAt(g)+":5000")
		send(t, in, groupAt(g), groupAt(g))
		require.Equal(t, groupAt(g), receive(t, out))
	}
	vifs, err := r.sock.VIFs()
	require.NoError(t, err)
	require.Len(t, vifs, 5)
}
