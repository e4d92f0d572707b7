package web

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Address is where ADDRESS listens: HOST:PORT, where no host means this machine alone (127.0.0.1) and
// not, as elsewhere, all of its addresses. For those say 0.0.0.0 or [::].
func Address(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", err
	}
	if port == "" {
		return "", fmt.Errorf("address %s: no port", s)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Serve serves h until ctx ends, and returns when nothing of it runs any more. It closes l. Connections are
// bounded, and what is too much is closed at once: who opens ever more of them would else take the file
// descriptors that the agent needs for the switch.
func Serve(ctx context.Context, l net.Listener, h http.Handler, logger *slog.Logger) error {
	requests, stop := context.WithCancel(context.Background())
	defer stop()
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute, // as long as a profile may take; streams set their own
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          quiet(logger),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(bound(l, maxConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop() // streams of events end
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		_ = server.Close() // whoever still reads is cut off
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// quiet has the server's complaints about strangers for who debugs only: they could fill a log.
func quiet(logger *slog.Logger) *log.Logger {
	return slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
}
