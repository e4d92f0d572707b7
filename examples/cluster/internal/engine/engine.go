// Package engine runs a NATS server with JetStream in this process: for a trial, for tests and for
// measurements. A deployment runs it apart from the nodes.
package engine

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Engine is a server that can be stopped and started again at the same address.
type Engine struct {
	dir  string
	port int
	srv  *server.Server
}

// start is how long a server may take to be ready.
const start = 30 * time.Second

// Start starts a server on a free port of the loopback interface, which keeps its files in dir.
func Start(dir string) (*Engine, error) { return StartAt(dir, server.RANDOM_PORT) }

// StartAt is Start on a certain port; -1 is a free one.
func StartAt(dir string, port int) (*Engine, error) {
	e := &Engine{dir: dir, port: port}
	return e, e.Start()
}

// Start starts the server again after Stop.
func (e *Engine) Start() error {
	if e.Running() {
		return errors.New("engine: is there already")
	}
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: e.port, JetStream: true, StoreDir: e.dir, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	srv.Start()
	if !srv.ReadyForConnections(start) {
		srv.Shutdown()
		return errors.New("engine: not ready in time")
	}
	e.srv = srv
	e.port = srv.Addr().(*net.TCPAddr).Port
	return nil
}

// Stop ends the server and waits for it. To stop it again does nothing.
func (e *Engine) Stop() {
	e.srv.Shutdown()
	e.srv.WaitForShutdown()
}

// Running says that it is there.
func (e *Engine) Running() bool { return e.srv != nil && e.srv.Running() }

// URL is where the server listens.
func (e *Engine) URL() string { return fmt.Sprintf("nats://127.0.0.1:%d", e.port) }

// Connect connects to a server as a node should: for good, quickly again, and without piling up what
// could not be sent. The server may come later.
func Connect(url, name string, more ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(url, append([]nats.Option{
		nats.Name(name),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectBufSize(-1),
	}, more...)...)
}
