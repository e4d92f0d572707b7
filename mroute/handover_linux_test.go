package mroute

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// successor is the process that continues with the descriptor it was given. It says what it does, and goes on with each
// line that it reads.
func successor() int {
	err := succeed(os.NewFile(3, "handed over"), bufio.NewScanner(os.Stdin))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func succeed(f *os.File, in *bufio.Scanner) error {
	s, err := FromFile(f, Config{})
	if err != nil {
		return err
	}
	defer s.Close()
	_ = f.Close()
	var w wishes // nobody wants anything yet
	r, err := NewRouter(s, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy, KeepFor: time.Hour})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	st, err := r.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Println(st.Entries)
	in.Scan()
	w.set(group.String(), "v2", "v3")
	if err := r.Refresh(ctx, group); err != nil {
		return err
	}
	if st, err = r.Status(ctx); err != nil {
		return err
	}
	fmt.Println(st.Entries)
	in.Scan()
	cancel()
	return <-ended
}

// startSuccessor runs it in the namespace of the calling thread.
func startSuccessor(t *testing.T, f *os.File) (lines *bufio.Scanner, next io.Writer, wait func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), successorEnv+"=1")
	cmd.ExtraFiles = []*os.File{f}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return bufio.NewScanner(out), in, func() { require.NoError(t, cmd.Wait()) }
}

// sendNumbers sends numbers until it is stopped, and says how many they were.
func sendNumbers(c *net.UDPConn, stop <-chan struct{}) (sent int, err error) {
	to := &net.UDPAddr{IP: net.ParseIP(group.String()), Port: 5000}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ; ; sent++ {
		if _, err := c.WriteToUDP([]byte(strconv.Itoa(sent)), to); err != nil {
			return sent, err
		}
		select {
		case <-tick.C:
		case <-stop:
			return sent + 1, nil
		}
	}
}

func TestStreamFlowsOnWithoutALossWhenAnotherProcessTakesOver(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	from, to := newHost(t, 1), newHost(t, 2)
	newHost(t, 3)
	var w wishes
	w.set(group.String(), "v2")
	s := open(t)
	r, err := NewRouter(s, RouterConfig{Inputs: []string{"v1"}, Policy: w.policy})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	until(t, func() bool { return contains(t, "ip_mr_vif", "v1") })

	in, out := from.sender(t), to.udp(t, group.String()+":5000")
	require.NoError(t, out.SetReadBuffer(4<<20))
	send(t, in, group.String(), "the kernel keeps few packets until there is a route")
	receive(t, out)
	stop := flood(in)
	require.Equal(t, "0", receive(t, out))

	cancel()
	require.NoError(t, <-ended)
	f, err := s.Handover()
	require.NoError(t, err)
	lines, next, wait := startSuccessor(t, f)
	require.NoError(t, f.Close())
	require.NoError(t, s.Close(), "it is not ours any more")
	require.True(t, lines.Scan())
	require.Equal(t, "[(10.0.1.2, 233.252.0.1) v1 > v2]", lines.Text(), "kept, though its policy does not know yet")
	_, _ = io.WriteString(next, "\n")
	require.True(t, lines.Scan())
	require.Equal(t, "[(10.0.1.2, 233.252.0.1) v1 > v2 v3]", lines.Text())

	const enough = 200
	n := 1
	for ; n < enough; n++ {
		require.Equal(t, strconv.Itoa(n), receive(t, out))
	}
	for last := stop(); n < last; n++ {
		require.Equal(t, strconv.Itoa(n), receive(t, out))
	}
	_, _ = io.WriteString(next, "\n")
	wait()
	require.NotContains(t, kernelTable(t, "ip_mr_vif"), "v1", "its end is the routing's")
	open(t)
}

func TestBooksAreTakenOverToo(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 5)
	s, err := Open(Config{Table: 99})
	require.NoError(t, err)
	v := addVIFs(t, s, d[0], d[1], d[2])
	route := Route{SG: SG{source, group}, In: v[1], Out: []Hop{{VIF: v[0], TTL: 5}, {VIF: v[2], TTL: 1}}}
	wild := Route{SG: SG{anySource, group}, In: v[2], Out: []Hop{{VIF: v[1], TTL: 1}}}
	require.NoError(t, s.AddRoute(route))
	require.NoError(t, s.AddRoute(wild))
	ip(t, "link del d0")
	f, err := s.Handover()
	require.NoError(t, err)
	defer f.Close()
	_, err = s.Handover()
	require.ErrorIs(t, err, os.ErrClosed)
	require.ErrorIs(t, s.AddRoute(route), os.ErrClosed)

	_, err = FromFile(f, Config{})
	require.ErrorIs(t, err, ErrNotOwner, "another table")
	s, err = FromFile(f, Config{Table: 99})
	require.NoError(t, err)
	defer s.Close()
	got := map[SG]Route{}
	for r := range s.Routes() {
		got[r.SG] = r
	}
	route.Out = route.Out[1:]
	require.Equal(t, map[SG]Route{route.SG: route, wild.SG: wild}, got)
	i, ok := s.Interface(v[1])
	require.True(t, ok)
	require.Equal(t, d[1], i)

	// The number of d0 is free now, and the route that named it leads there no more.
	next, err := s.AddVIF(d[3])
	require.NoError(t, err)
	require.Equal(t, v[0], next)
	all, err := s.Dump()
	require.NoError(t, err)
	for _, k := range all {
		require.Equal(t, got[k.SG], k.Route())
	}
}

func TestFileThatRoutesNothingIsNotTakenOver(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	for name, open := range map[string]func() (int, error){
		"a raw IGMP socket": func() (int, error) {
			return syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.IPPROTO_IGMP)
		},
		"another socket": func() (int, error) {
			return syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		},
		"a plain file": func() (int, error) { return syscall.Open(os.Args[0], syscall.O_CLOEXEC, 0) },
	} {
		fd, err := open()
		require.NoError(t, err, name)
		f := os.NewFile(uintptr(fd), name)
		_, err = FromFile(f, Config{})
		require.ErrorIs(t, err, ErrNotOwner, name)
		require.NoError(t, f.Close())
		_, err = FromFile(f, Config{})
		require.ErrorIs(t, err, os.ErrClosed, name)
	}
}

func TestSuccessorNeedsNoPrivileges(t *testing.T) {
	t.Parallel()
	enterNamespace(t)
	d := dummies(t, 2)
	s, err := Open(Config{})
	require.NoError(t, err)
	v := addVIFs(t, s, d[0])
	f, err := s.Handover()
	require.NoError(t, err)
	defer f.Close()
	// Of this thread alone, which ends with the test.
	_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody)
	require.Zero(t, errno)
	s, err = FromFile(f, Config{})
	require.NoError(t, err)
	defer s.Close()
	next, err := s.AddVIF(d[1])
	require.NoError(t, err)
	require.NoError(t, s.AddRoute(Route{SG: SG{source, group}, In: v[0], Out: []Hop{{VIF: next}}}))
	all, err := s.Dump()
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NoError(t, s.Close())
}
