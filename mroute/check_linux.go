package mroute

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
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
	look(func() error { return o.lookRules(cfg) })
	look(func() error { return o.lookBack(cfg) })
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

// lookRules reads the rules that stand beside the default one. A kernel without them has the default table alone.
func (o *observations) lookRules(cfg CheckConfig) error {
	if cfg.table() == rtDefault {
		return nil
	}
	messages, err := netlinkAsk(syscall.RTM_GETRULE, netlink.Dump, allRules())
	if err != nil {
		return err
	}
	o.rules = make(map[string]bool)
	for _, r := range parseFIBRules(messages) {
		if r.table == cfg.table() && r.toTable {
			o.rules[r.in] = true
		}
	}
	return nil
}

// lookBack asks where packets to the sources would leave.
func (o *observations) lookBack(cfg CheckConfig) error {
	o.back = make(map[netip.Addr]string)
	for _, a := range cfg.arrivals() {
		if !a.Source.Is4() {
			continue
		}
		index, err := routeTo(a.Source)
		if errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EINVAL) {
			continue // no route, or one that says unreachable, prohibit or blackhole
		}
		if err != nil {
			return err
		}
		if i, err := net.InterfaceByIndex(index); err == nil {
			o.back[a.Source] = i.Name
		}
	}
	return nil
}

// routeTo is the index of the interface where packets to an address leave.
func routeTo(a netip.Addr) (int, error) {
	body := make([]byte, rtmsgLen)
	body[0], body[1] = syscall.AF_INET, uint8(a.BitLen())
	e := netlink.NewAttributeEncoder()
	e.Bytes(rtaDst, a.AsSlice())
	attributes, err := e.Encode()
	if err != nil {
		return 0, err
	}
	messages, err := netlinkAsk(syscall.RTM_GETROUTE, 0, append(body, attributes...))
	if err != nil {
		return 0, err
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
	return 0, syscall.ENETUNREACH
}

// netlinkAsk asks once, on a connection of its own.
func netlinkAsk(kind netlink.HeaderType, flags netlink.HeaderFlags, body []byte) ([]netlink.Message, error) {
	conn, err := netlink.Dial(syscall.NETLINK_ROUTE, nil)
	if err != nil {
		return nil, err
	}
	messages, err := conn.Execute(netlink.Message{
		Header: netlink.Header{Type: kind, Flags: netlink.Request | flags},
		Data:   body,
	})
	return messages, errors.Join(err, conn.Close())
}
