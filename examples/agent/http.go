package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"time"

	"github.com/ofmcast/ofmcast/examples/agent/config"
	"github.com/ofmcast/ofmcast/examples/agent/metrics"
	"github.com/ofmcast/ofmcast/examples/agent/web"
)

// httpFlags are the flags about what people and monitoring look at.
func (o *options) httpFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.http, "http", "", "`ADDRESS` of the page, its JSON and the metrics, HOST:PORT; nothing there changes anything.\n:PORT is 127.0.0.1:PORT, for this machine alone (default: none)")
	fs.Var(config.List(func(s string) error {
		o.httpNames = append(o.httpNames, s)
		return nil
	}), "http-name", "a host `NAME` by which the page may be asked for, beside addresses and localhost; may be\nrepeated")
	fs.BoolVar(&o.pprof, "pprof", false, "serve the profiler at /debug/pprof as well")
	fs.Func("log", "`FORM` of the log: text (default) or json", func(s string) error {
		if s != "text" && s != "json" {
			return fmt.Errorf("%q is neither text nor json", s)
		}
		o.logJSON = s == "json"
		return nil
	})
}

// isHTTP says whether s is an address to serve at, or none.
func isHTTP(s string) bool {
	_, err := web.Address(s)
	return s == "" || err == nil
}

// serveHTTP is the part of the agent that shows what it does. Where it cannot, multicast goes on without
// it.
func (a *agent) serveHTTP(ctx context.Context) error {
	const again = 5 * time.Second
	said := false
	for a.o.http != "" && ctx.Err() == nil {
		if err := a.serveOnce(ctx); err != nil && !said {
			said = true
			a.log.Error("no page; trying again", "every", again, "err", err)
		}
		pause(ctx, again)
	}
	<-ctx.Done()
	return nil
}

func (a *agent) serveOnce(ctx context.Context) error {
	address, err := web.Address(a.o.http)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	a.log.Info("page", "at", "http://"+l.Addr().String()+"/")
	return web.Serve(ctx, l, web.Handler(web.Config{
		Source: a.view, Metrics: metrics.Handler(a.sources()), Pprof: a.o.pprof, Names: a.o.httpNames,
	}), a.log)
}
