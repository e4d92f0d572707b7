package igmpconn_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/ofmcast/ofmcast/igmp/igmpconn"
	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// pair makes an interface v0 whose other end is v1, in our namespace.
func pair(t *testing.T, us *ovslab.Host) {
	t.Helper()
	ip(t, us, []string{"link", "add", "v0", "type", "veth", "peer", "name", "v1"},
		[]string{"addr", "add", "198.51.100.1/24", "dev", "v0"},
		[]string{"link", "set", "v1", "up"}, []string{"link", "set", "v0", "up"},
		// The end that was up first takes packets only after up to a second, unless it comes up again.
		[]string{"link", "set", "v1", "down"}, []string{"link", "set", "v1", "up"})
}

// arrives sends a frame until it comes: a link that has just come up loses some.
func arrives(t *testing.T, from, to *igmpconn.Conn, frame, want []byte) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; {
		_ = from.Send(frame)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		f, err := to.Read(ctx)
		cancel()
		if err == nil && bytes.Equal(f.Data, want) {
			return
		}
	}
	t.Fatal("nothing arrives")
}

func TestInterfaceThatComesAndGoes(t *testing.T) {
	us := startLab(t).Host("us")
	pair(t, us)
	conn := listen(t, us, "v0", igmpconn.Config{})
	peer := listen(t, us, "v1", igmpconn.Config{})
	frame := query(t, igmp.Header{EthSrc: igmp.MAC{2}, Src: unicast}, 3)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	ip(t, us, []string{"link", "set", "v0", "down"})
	_, err := conn.Read(ctx)
	require.ErrorIs(t, err, igmpconn.ErrDown)
	require.ErrorIs(t, err, unix.ENETDOWN)
	require.ErrorIs(t, conn.Send(frame), igmpconn.ErrDown)

	// Said once; then it waits, also longer than it takes to look again.
	short, done := context.WithTimeout(ctx, 500*time.Millisecond)
	defer done()
	_, err = conn.Read(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	ip(t, us, []string{"link", "set", "v0", "up"})
	arrives(t, peer, conn, tagged(t), rewritten(t, us, "v1", tagged(t)))

	ip(t, us, []string{"link", "del", "v0"})
	require.ErrorIs(t, gone(ctx, conn), igmpconn.ErrGone)
	_, err = conn.Read(ctx)
	require.ErrorIs(t, err, igmpconn.ErrGone, "for good")
	require.ErrorIs(t, conn.Send(frame), igmpconn.ErrGone)
	require.ErrorIs(t, conn.Send(query(t, igmp.Header{EthSrc: igmp.MAC{2}, Src: unspecified}, 3)), igmpconn.ErrGone)

	pair(t, us)
	again := listen(t, us, "v0", igmpconn.Config{})
	other := listen(t, us, "v1", igmpconn.Config{})
	arrives(t, other, again, tagged(t), rewritten(t, us, "v1", tagged(t)))
}

// gone reads until the interface is gone; that it goes down first may be said before.
func gone(ctx context.Context, conn *igmpconn.Conn) error {
	for {
		_, err := conn.Read(ctx)
		if err != nil && !errors.Is(err, igmpconn.ErrDown) {
			return err
		}
	}
}

// rewritten is the frame with the sending interface's address.
func rewritten(t *testing.T, host *ovslab.Host, name string, frame []byte) []byte {
	t.Helper()
	require.NoError(t, host.Do(func() error {
		l, err := igmpconn.LinkByName(name)
		copy(frame[6:], l.MAC[:])
		return err
	}))
	return frame
}

func TestAnInterfaceDeletedWhileDownIsFoundGone(t *testing.T) {
	us := startLab(t).Host("us")
	pair(t, us)
	ip(t, us, []string{"link", "set", "v0", "down"})
	conn := listen(t, us, "v0", igmpconn.Config{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := conn.Read(ctx)
	require.ErrorIs(t, err, igmpconn.ErrDown)
	var end sync.WaitGroup
	end.Go(func() { err = gone(ctx, conn) })
	ip(t, us, []string{"link", "del", "v0"})
	end.Wait()
	require.ErrorIs(t, err, igmpconn.ErrGone)
	require.ErrorIs(t, err, unix.ENODEV)
}

func TestReadEndsWithItsContextAndCanGoOn(t *testing.T) {
	lab := startLab(t, ovslab.HostConfig{Name: "peer"})
	conn := listen(t, lab.Host("us"), "eth0", igmpconn.Config{})
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		_, err := conn.Read(ctx)
		require.Equal(t, context.Canceled, err)
	}
	require.NoError(t, lab.Host("peer").Inject(tagged(t)))
	readUntil(t, conn, equals(tagged(t)))
}

func TestAReaderBehindAnotherEndsWithItsOwnContext(t *testing.T) {
	conn := listen(t, startLab(t).Host("us"), "eth0", igmpconn.Config{})
	long, end := context.WithTimeout(t.Context(), patience)
	var first sync.WaitGroup
	first.Go(func() { _ = untilError(func() error { _, err := conn.Read(long); return err }) })
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		err := untilError(func() error { _, err := conn.Read(ctx); return err })
		cancel()
		require.Equal(t, context.DeadlineExceeded, err)
	}
	require.NoError(t, long.Err(), "the other reader was waited for")
	end()
	first.Wait()
}

// What waits to be read came when it came.
func TestTheTimeIsThatOfArrival(t *testing.T) {
	us := startLab(t).Host("us")
	pair(t, us)
	first := listen(t, us, "v0", igmpconn.Config{})
	second := listen(t, us, "v0", igmpconn.Config{})
	inject(t, us, "v1", tagged(t))
	readUntil(t, first, equals(tagged(t)))
	arrived := time.Now()
	<-time.After(50 * time.Millisecond)
	readUntil(t, second, func(f igmpconn.Frame) bool { return f.At.Before(arrived) })
}

func TestCloseEndsReadersAndSenders(t *testing.T) {
	us := startLab(t).Host("us")
	for range 20 {
		conn := listen(t, us, "eth0", igmpconn.Config{Outgoing: true})
		frame := query(t, igmp.Header{EthSrc: mac(t, us), Src: us.Addr()}, 3)
		var end sync.WaitGroup
		calls := []func() error{
			func() error { _, err := conn.Read(t.Context()); return err },
			func() error { return conn.Send(frame) },
			func() error { _, err := conn.Stats(); return err },
		}
		ends := make(chan error, 2*len(calls))
		for _, call := range append(calls, calls...) {
			end.Go(func() { ends <- untilError(call) })
		}
		require.NoError(t, conn.Close())
		require.NoError(t, conn.Close())
		end.Wait()
		for range cap(ends) {
			require.ErrorIs(t, <-ends, net.ErrClosed)
		}
	}
}

func untilError(f func() error) error {
	for {
		if err := f(); err != nil {
			return err
		}
	}
}

func TestWhatDoesNotFitIsCounted(t *testing.T) {
	lab := startLab(t, ovslab.HostConfig{Name: "peer"})
	conn := listen(t, lab.Host("us"), "eth0", igmpconn.Config{ReadBuffer: 1})
	roomy := listen(t, lab.Host("us"), "eth0", igmpconn.Config{})
	const sent = 200
	var frames [][]byte
	for range sent {
		frames = append(frames, tagged(t))
	}
	last := query(t, igmp.Header{EthSrc: igmp.MAC{2}, Src: unicast}, 2)
	require.NoError(t, lab.Host("peer").Inject(append(frames, last)...))
	readUntil(t, roomy, equals(last))
	for range 2 {
		stats, err := conn.Stats()
		require.NoError(t, err)
		require.Positive(t, stats.Dropped)
		require.LessOrEqual(t, stats.Received+stats.Dropped, uint64(sent+1))
		require.Less(t, stats.Received, uint64(sent))
	}
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	us := startLab(t).Host("us")
	ip(t, us, []string{"tuntap", "add", "mode", "tun", "name", "t0"})
	open := func(name string) error {
		return us.Do(func() error {
			conn, err := igmpconn.Listen(name, igmpconn.Config{})
			if err == nil {
				err = conn.Close()
			}
			return err
		})
	}
	require.NoError(t, open("lo"))
	require.ErrorIs(t, open("nothing0"), igmpconn.ErrNoInterface)
	require.ErrorIs(t, open("nothing0"), unix.ENODEV)
	require.EqualError(t, open("nothing0"), "igmpconn: listen nothing0: no such interface: no such device")
	require.ErrorIs(t, open("t0"), igmpconn.ErrLinkType)

	err := us.Do(func() error {
		if err := dropNetRaw(); err != nil {
			return err
		}
		_, err := igmpconn.Listen("eth0", igmpconn.Config{})
		return err
	})
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorIs(t, err, unix.EPERM)
}

// dropNetRaw takes CAP_NET_RAW from the calling thread.
func dropNetRaw() error {
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	sets[0].Effective &^= 1 << unix.CAP_NET_RAW
	return unix.Capset(&header, &sets[0])
}

func TestLinkIsWhatAQuerierNeeds(t *testing.T) {
	us := startLab(t).Host("us")
	ip(t, us, []string{"addr", "add", "198.51.100.1/24", "dev", "eth0"}, []string{"link", "set", "eth0", "mtu", "1400"})
	require.NoError(t, us.Do(func() error {
		l, err := igmpconn.LinkByName("eth0")
		require.NoError(t, err)
		require.Positive(t, l.Index)
		l.Index = 0
		require.Equal(t, igmpconn.Link{Name: "eth0", Up: true, MAC: mac(t, us), MTU: 1400, Addrs: addrs(us.Addr(), unicast)}, l)
		_, err = igmpconn.LinkByName("nothing0")
		require.ErrorIs(t, err, igmpconn.ErrNoInterface)
		return nil
	}))
}
