// Package fdstore keeps file descriptors with a service manager while the program is started again:
// systemd's descriptor store (sd_notify(3), FDSTORE=1; sd_listen_fds(3)), or anything that speaks the
// same two small protocols. What is kept survives the program, also one that is killed.
//
// A unit needs FileDescriptorStoreMax=, and NotifyAccess=main.
package fdstore

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// ErrNoStore says that there is nobody to keep anything: no NOTIFY_SOCKET in the environment.
var ErrNoStore = errors.New("no service manager keeps descriptors")

// firstFD is the number of the first descriptor that a service manager passes.
const firstFD = 3

// patience is how long a manager may leave a message unread while there is no room for it.
const patience = time.Second

// Files are the descriptors that were kept and given back, by name.
type Files map[string]*os.File

// Received takes the descriptors that the service manager has passed to this process, of which there
// are none if it passed them to another one. They belong to the caller, and no child inherits them. It
// takes what it has read out of the environment, so that it gives them once. Of two with one name the
// later one counts, as it was kept later; the other is closed.
func Received() Files {
	defer forget("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")
	n, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if err != nil || os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil
	}
	names := strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	files := Files{}
	for i := range min(n, len(names)) { // one without a name is none that Keep has sent
		files.add(names[i], firstFD+i)
	}
	return files
}

// Close closes those that nobody has taken.
func (f Files) Close() {
	for name, file := range f {
		_ = file.Close()
		delete(f, name)
	}
}

// Take takes the descriptor of a name out; nil if there is none.
func (f Files) Take(name string) *os.File {
	file := f[name]
	delete(f, name)
	return file
}

func (f Files) add(name string, fd int) {
	file := inherited(fd, name)
	if file == nil {
		return
	}
	if old := f[name]; old != nil {
		_ = old.Close()
	}
	f[name] = file
}

func forget(variables ...string) {
	for _, v := range variables {
		_ = os.Unsetenv(v)
	}
}

// Keep has the service manager keep a copy of a descriptor, for as long as the service is not stopped
// for good, and pass it to the next process under this name: at most 255 printable ASCII characters
// without a colon. The manager does not answer: whether it has room is not known.
func Keep(name string, f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return fmt.Errorf("fdstore: keep %s: %w", name, err)
	}
	var sent error
	err = raw.Control(func(fd uintptr) {
		// Without FDPOLL=0 the manager drops a socket on which an error waits to be read.
		sent = notify("FDSTORE=1\nFDPOLL=0\nFDNAME="+name, rights(fd))
	})
	if err := errors.Join(err, sent); err != nil {
		return fmt.Errorf("fdstore: keep %s: %w", name, err)
	}
	return nil
}

// Drop has the service manager close all that it keeps under a name.
func Drop(name string) error {
	if err := notify("FDSTOREREMOVE=1\nFDNAME="+name, nil); err != nil {
		return fmt.Errorf("fdstore: drop %s: %w", name, err)
	}
	return nil
}

// notify sends one message to the service manager.
func notify(text string, oob []byte) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return ErrNoStore
	}
	// Package net, too, writes an abstract name with an @.
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	return send(c, []byte(text), oob)
}
