package web_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/web"
)

func TestWithoutAHostItIsThisMachineAlone(t *testing.T) {
	for in, want := range map[string]string{
		":9500": "127.0.0.1:9500", "0.0.0.0:80": "0.0.0.0:80", "[::]:80": "[::]:80", "localhost:0": "localhost:0",
	} {
		got, err := web.Address(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, in := range []string{"", "9500", "127.0.0.1", "127.0.0.1:", "a:b:c"} {
		_, err := web.Address(in)
		require.Error(t, err, in)
	}
}

func TestServeEndsWithItsContextAlsoWhenSomebodyReadsEvents(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- web.Serve(ctx, l, web.Handler(web.Config{Source: newFake()}), slog.New(slog.DiscardHandler))
	}()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	s := open(t, client, "http://"+l.Addr().String(), "")
	defer s.Close()
	s.event()
	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		require.Fail(t, "it goes on")
	}
	_, err = net.Dial("tcp", l.Addr().String())
	require.Error(t, err, "nobody listens any more")
}
