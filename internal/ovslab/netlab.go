package ovslab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// NetLab is a running private switch on the userspace datapath, in a network
// namespace of its own, with hosts in further namespaces. What Lab can do it
// can do too. Its methods may be called from any number of goroutines.
type NetLab struct {
	*Lab
	netTools netTools
	node     *Namespace
	closeNet func() error

	mu       sync.Mutex // held while the network is changed
	closed   bool
	made     int // hosts ever made
	hosts    map[string]*Host
	ports    map[string]uint16     // OpenFlow port numbers, also of deleted ports
	segments map[string]*Namespace // of the ports that several hosts share
}

// StartNet starts a lab with hosts and returns when the switch takes
// connections and every host can send. ctx bounds the start only; Close ends
// the lab. Beside those of Start the error may wrap ErrNoNamespaces or
// ErrConfig.
func StartNet(ctx context.Context, cfg NetConfig) (*NetLab, error) {
	nt, err := findNetTools()
	if err != nil {
		return nil, fmt.Errorf("ovslab: %w", err)
	}
	l := &NetLab{netTools: nt, hosts: map[string]*Host{}, ports: map[string]uint16{}, segments: map[string]*Namespace{}}
	l.closeNet = sync.OnceValue(l.endNet)
	if l.node, err = l.quietNamespace(); err != nil {
		return nil, fmt.Errorf("ovslab: %w", err)
	}
	how := datapath{kind: "netdev", enter: l.node.enter(), flags: []string{"--disable-system"}}
	lab, err := startLab(ctx, Config{FailMode: cfg.FailMode}, how)
	if err != nil {
		return nil, errors.Join(err, l.node.close())
	}
	l.Lab = lab
	if err := l.AddHosts(ctx, cfg.Hosts...); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close ends the hosts with their sockets and programs, then the switch, and
// removes what Lab.Close removes. Further calls return the same.
func (l *NetLab) Close() error { return l.closeNet() }

func (l *NetLab) endNet() error {
	l.mu.Lock()
	l.closed = true
	ends := slices.Collect(maps.Values(l.segments))
	for _, h := range l.hosts {
		ends = append(ends, h.Namespace)
	}
	l.mu.Unlock() // nothing is added any more, and what ends may wait for our caller's functions
	var errs []error
	for _, n := range ends {
		errs = append(errs, n.close())
	}
	return errors.Join(append(errs, l.Lab.Close(), l.node.close())...)
}

// Host returns the host of that name, or nil.
func (l *NetLab) Host(name string) *Host {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hosts[name]
}

// Node returns the switch's own namespace, with the bridge as an interface and
// the switch's end of every port.
func (l *NetLab) Node() *Namespace { return l.node }

// quietNamespace makes a namespace whose interfaces say nothing by themselves.
func (l *NetLab) quietNamespace() (*Namespace, error) {
	n, err := newNamespace(l.netTools.nsenter)
	if err != nil {
		return nil, err
	}
	for _, which := range []string{"all", "default"} {
		if err := n.setting("ipv6/conf/"+which+"/disable_ipv6", "1"); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	return n, nil
}
