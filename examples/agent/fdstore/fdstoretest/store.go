//go:build linux

package fdstoretest

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Store keeps descriptors by name. Its methods may be called by any goroutine.
type Store struct {
	path string
	conn *net.UnixConn
	done chan struct{}

	mu       sync.Mutex
	names    []string // in the order in which they came
	files    map[string]*os.File
	messages []string
}

// Listen makes a Store that listens on a socket of that path. Close ends it.
func Listen(path string) (*Store, error) {
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, conn: conn, done: make(chan struct{}), files: make(map[string]*os.File)}
	go s.serve()
	return s, nil
}

// Close closes the socket and what is kept.
func (s *Store) Close() error {
	err := s.conn.Close()
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.names {
		err = errors.Join(err, s.files[name].Close())
	}
	s.names, s.files = nil, nil
	return err
}

// Names are those of what is kept.
func (s *Store) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.names...)
}

// Messages are those that came, without their descriptors.
func (s *Store) Messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.messages...)
}

// Attach has a command that was not started yet know the store and be passed what is kept now. Its
// program is started by a shell, which alone knows the process ID that the program has to be told.
func (s *Store) Attach(cmd *exec.Cmd) error {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+s.path,
		"LISTEN_FDS="+strconv.Itoa(len(s.names)), "LISTEN_FDNAMES="+strings.Join(s.names, ":"))
	for _, name := range s.names {
		cmd.ExtraFiles = append(cmd.ExtraFiles, s.files[name])
	}
	cmd.Args = append([]string{sh, "-c", `LISTEN_PID=$$ exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sh
	return nil
}

// serve reads messages until the socket is closed.
func (s *Store) serve() {
	defer close(s.done)
	text, oob := make([]byte, 4096), make([]byte, syscall.CmsgSpace(4*8))
	for {
		n, m, _, _, err := s.conn.ReadMsgUnix(text, oob)
		if err != nil {
			return
		}
		s.handle(string(text[:n]), descriptors(oob[:m]))
	}
}

// handle does what a message says. What it does not keep it closes.
func (s *Store) handle(message string, fds []int) {
	said := make(map[string]string)
	for line := range strings.SplitSeq(message, "\n") {
		name, value, _ := strings.Cut(line, "=")
		said[name] = value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, message)
	if said["FDSTOREREMOVE"] == "1" {
		s.drop(said["FDNAME"])
	}
	for _, fd := range fds {
		if said["FDSTORE"] == "1" {
			s.keep(said["FDNAME"], os.NewFile(uintptr(fd), said["FDNAME"]))
			continue
		}
		_ = syscall.Close(fd)
	}
}

// keep keeps one descriptor a name, which is all that the programs under test need.
func (s *Store) keep(name string, f *os.File) {
	s.drop(name)
	s.names, s.files[name] = append(s.names, name), f
}

func (s *Store) drop(name string) {
	for i, n := range s.names {
		if n == name {
			_ = s.files[name].Close()
			s.names = append(s.names[:i], s.names[i+1:]...)
			delete(s.files, name)
			return
		}
	}
}

// descriptors are those that a control message carries.
func descriptors(oob []byte) (all []int) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		if fds, err := syscall.ParseUnixRights(&m); err == nil {
			all = append(all, fds...)
		}
	}
	return all
}
