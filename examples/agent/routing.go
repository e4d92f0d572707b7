package main

import (
	"errors"
	"log/slog"

	"github.com/ofmcast/ofmcast/examples/agent/fdstore"
	"github.com/ofmcast/ofmcast/mroute"
)

// routingName is what the descriptor of the kernel's multicast routing is called in the service
// manager's store. The kernel routes as long as a copy of it is open anywhere, so with one in the store
// streams flow on while the agent is started again, also after a crash.
const routingName = "ofmcast-mroute"

// openRouting takes over the routing that the service manager has kept, or opens it anew.
func openRouting(log *slog.Logger) (*mroute.Socket, error) {
	files := fdstore.Received()
	defer files.Close()
	if f := files.Take(routingName); f != nil {
		defer func() { _ = f.Close() }()
		s, err := mroute.FromFile(f, mroute.Config{})
		if err == nil {
			log.Info("kernel routes go on as the agent before has left them")
			return s, nil
		}
		log.Error("kernel routes begin anew: what the service manager has kept is of no use", "err", err)
		if err := fdstore.Drop(routingName); err != nil {
			log.Warn("the service manager goes on keeping it", "err", err)
		}
	}
	s, err := mroute.Open(mroute.Config{})
	if err != nil {
		return nil, err
	}
	return storeRouting(s, log)
}

// storeRouting has the service manager keep a copy of the routing's descriptor. It has to be there
// before anything goes wrong: a process that is killed hands nothing over.
func storeRouting(s *mroute.Socket, log *slog.Logger) (*mroute.Socket, error) {
	f, err := s.Handover()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	defer func() { _ = f.Close() }()
	switch err := fdstore.Keep(routingName, f); {
	case errors.Is(err, fdstore.ErrNoStore):
		log.Info("no service manager keeps the kernel's routing: its streams stop while the agent is restarted")
	case err != nil:
		log.Warn("the kernel's routing will not outlive the agent", "err", err)
	}
	return mroute.FromFile(f, mroute.Config{})
}

// endRouting ends the process's part in the routing: with keep, what is in the service manager's store
// goes on, otherwise the routing itself ends.
func endRouting(s *mroute.Socket, keep bool) error {
	if keep {
		f, err := s.Handover()
		if err != nil {
			return err
		}
		return f.Close()
	}
	err := s.Close()
	if drop := fdstore.Drop(routingName); !errors.Is(drop, fdstore.ErrNoStore) {
		err = errors.Join(err, drop)
	}
	return err
}
