package mroute

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/mdlayher/netlink"
)

// observe looks at the system, and goes on with the rest when it may not look at a part.
func observe(ctx context.Context, cfg CheckConfig) (*observations, error) {
	o := &observations{}
	var all []error
	look := func(at func() error) {
		if err := ctx.Err(); err != nil {
			all = append(all, err)
		} else if err := at(); err != nil {
			all = append(all, err)
		}
	}
	look(func() error { return o.lookInterfaces() })
	look(func() error { return o.lookSettings(cfg) })
	look(func() error { return o.lookOwner(cfg) })
	look(func() error { return o.lookRoutes(cfg) })
	look(func() error { return o.lookTTL(ctx, cfg) })
	return o, errors.Join(all...)
}

func (o *observations) lookInterfaces() error {
	all, err := net.Interfaces()
	if err != nil {
		return err
	}
	o.interfaces = make(map[string]interfaceState, len(all))
	for _, i := range all {
		o.interfaces[i.Name] = interfaceState{
			up:        i.Flags&net.FlagUp != 0,
			carrier:   i.Flags&net.FlagRunning != 0,
			multicast: i.Flags&net.FlagMulticast != 0,
		}
	}
	return nil
}

const settingsDir = "/proc/sys/net/ipv4/"

func (o *observations) lookSettings(cfg CheckConfig) error {
	o.settings = make(map[string]int)
	names := []string{settingForward, settingGroups, settingSources}
	at := cfg.names()
	for _, a := range cfg.arrivals() {
		at = append(at, a.In)
	}
	for _, i := range append(at, "all") {
		if filepath.IsLocal(i) && !strings.Contains(i, "/") { // a name is the caller's, and may be anything
			names = append(names, "conf/"+i+"/"+settingReverse, "conf/"+i+"/"+settingVersion)
		}
	}
	for _, name := range names {
		b, err := os.ReadFile(settingsDir + name)
		if errors.Is(err, os.ErrNotExist) {
			continue // of an interface that is not there
		}
		if err != nil {
			return err
		}
		if o.settings[name], err = strconv.Atoi(strings.TrimSpace(string(b))); err != nil {
			return err
		}
	}
	return nil
}

// lookOwner tries to become the owner.
func (o *observations) lookOwner(cfg CheckConfig) error {
	if cfg.Socket != nil {
		return nil
	}
	s, err := Open(Config{Table: cfg.Table})
	if errors.Is(err, ErrInUse) {
		o.owned, o.owners = true, igmpSocketHolders()
		return nil
	}
	if err != nil {
		return err
	}
	return s.Close()
}

// lookRoutes asks the kernel for rules and routes.
func (o *observations) lookRoutes(cfg CheckConfig) error {
	c, err := dialNetlink(nil)
	if err != nil {
		return err
	}
	return errors.Join(o.lookRules(c, cfg), o.lookBack(c, cfg), c.Close())
}

// lookRules reads the rules that stand beside the default one. A kernel without them has the default table alone.
func (o *observations) lookRules(c *netlinkConn, cfg CheckConfig) error {
	if cfg.table() == rtDefault {
		return nil
	}
	all, err := c.fibRules()
	if err != nil {
		return err
	}
	o.rules = make(map[string]bool)
	for _, r := range all {
		if r.table == cfg.table() && r.toTable {
			o.rules[r.in] = true
		}
	}
	return nil
}

// lookBack asks where packets to the sources would leave.
func (o *observations) lookBack(c *netlinkConn, cfg CheckConfig) error {
	back := make(map[netip.Addr]string)
	for _, a := range cfg.arrivals() {
		if _, known := back[a.Source]; known {
			continue
		}
		index, err := c.routeTo(a.Source)
		if err != nil {
			return err
		}
		back[a.Source] = ""
		if i, err := net.InterfaceByIndex(index); err == nil {
			back[a.Source] = i.Name
		}
	}
	o.back = back
	return nil
}

// noRoute are what the kernel says where it has no route, or one that says unreachable, prohibit or blackhole.
var noRoute = []error{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.EACCES, syscall.EINVAL}

// routeTo is the index of the interface where packets to an address leave, 0 if there is no route.
func (c *netlinkConn) routeTo(a netip.Addr) (int, error) {
	body := make([]byte, rtmsgLen)
	body[0], body[1] = syscall.AF_INET, uint8(a.BitLen())
	to := a.As4()
	body = appendUint32(body, rtaDst, binary.NativeEndian.Uint32(to[:]))
	messages, err := c.ask(syscall.RTM_GETROUTE, 0, body)
	if slices.ContainsFunc(noRoute, func(no error) bool { return errors.Is(err, no) }) {
		return 0, nil
	}
	for _, m := range messages {
		if len(m.Data) < rtmsgLen {
			continue
		}
		d, err := netlink.NewAttributeDecoder(m.Data[rtmsgLen:])
		if err != nil {
			return 0, err
		}
		for d.Next() {
			if d.Type() == syscall.RTA_OIF {
				return int(d.Uint32()), nil
			}
		}
	}
	return 0, err
}
