package querier

import (
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
)

// Config is a Querier's policy. MAC and Addrs have no default; all else may be zero.
type Config struct {
	// MAC is the source address of the frames.
	MAC igmp.MAC
	// VLANs are the tags of the frames, outermost first, two at most; none means untagged.
	VLANs []igmp.VLAN
	// Addrs are all our IPv4 addresses on the link, whatever the order; but the first is the queries' source and
	// stands for us in the election. 0.0.0.0 there is proxy mode. See SetAddrs.
	Addrs []netip.Addr
	// Versions is what is sent, without repetition; nil means 3 alone. More than one does harm and is warned about;
	// see the package documentation.
	Versions []uint8

	// RV is the robustness variable, up to 255; 0 means 2. Above 7 other routers are not told (RFC 9776 4.1.6).
	RV int
	// QI is the time between general queries, 0.1 s to 31744 s; 0 means 125 s. Other routers are told whole
	// seconds, rounded up.
	QI time.Duration
	// QRI is the time to answer a general query, less than QI (RFC 9776 8.3); 0 means 10 s, or half of QI if that
	// is less. On the wire it is rounded down, to tenths or what a Code can express. In version 2 it is 0.1 s to
	// 25.5 s, in version 3 up to 3174.4 s, in version 1 it is not told.
	QRI time.Duration
	// LMQI is the time to answer a specific query; 0 means 1 s. It has QRI's bounds, but for QI.
	LMQI time.Duration
	// LMQC is how many specific queries a cache should send, up to 255; 0 means RV, the one in force.
	LMQC int

	// MTU is the size of the largest IPv4 packet on the link; 0 means 1500. Under 68 it counts as 68.
	MTU int

	// OnChange is called with every new State, but not with the initial one, at the end of HandleQuery and SetAddrs
	// and in Advance, on the caller's goroutine. It must not call the Querier.
	OnChange func(State)
	// Logger gets warnings about versions, and elections won and lost; nil is silent.
	Logger *slog.Logger
}

const (
	defaultMTU = 1500
	minQI      = time.Second / 10
	maxQI      = 31744 * time.Second
	maxCount   = 255
)

// withDefaults returns c with every zero replaced, and nothing shared with the caller.
func (c Config) withDefaults() Config {
	c.VLANs = slices.Clone(c.VLANs)
	c.Versions = slices.Sorted(slices.Values(c.Versions))
	if len(c.Versions) == 0 {
		c.Versions = []uint8{3}
	}
	if c.RV == 0 {
		c.RV = defaultRV
	}
	if c.QI == 0 {
		c.QI = defaultQI
	}
	if c.QRI == 0 {
		c.QRI = min(defaultQRI, c.QI/2)
	}
	if c.LMQI == 0 {
		c.LMQI = defaultLMQI
	}
	if c.MTU == 0 {
		c.MTU = defaultMTU
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// check says what makes no sense. That a version cannot express a time shows when its query is rendered.
func (c *Config) check() error {
	for i, v := range c.Versions {
		if v < 1 || v > 3 || i > 0 && v == c.Versions[i-1] {
			return &Error{Op: opConfigure, Where: "version " + strconv.Itoa(int(v)), Err: igmp.ErrVersion}
		}
	}
	for _, f := range []struct {
		name string
		ok   bool
	}{
		{"RV", c.RV >= 1 && c.RV <= maxCount},
		{"QI", c.QI >= minQI && c.QI <= maxQI},
		{"QRI", c.QRI > 0 && c.QRI < c.QI},
		{"LMQI", c.LMQI > 0},
		{"LMQC", c.LMQC >= 0 && c.LMQC <= maxCount},
	} {
		if !f.ok {
			return &Error{Op: opConfigure, Where: f.name, Err: ErrTiming}
		}
	}
	// A cache asks for specific queries with LMQI: that it cannot be written must not come out with the first leave.
	lmq := igmp.Query{Version: c.newest(), Group: netip.IPv4Unspecified(), MaxResp: c.LMQI}
	if _, err := lmq.MarshalBinary(); err != nil {
		return &Error{Op: opConfigure, Where: "LMQI", Err: err}
	}
	return nil
}

// newest is the version that specific queries are sent in.
func (c *Config) newest() uint8 { return c.Versions[len(c.Versions)-1] }

// timing is our own, for when we are the querier.
func (c *Config) timing() Timing {
	t := Timing{RV: c.RV, QI: c.QI, QRI: c.QRI, LMQI: c.LMQI}
	if c.Versions[0] == 1 {
		t.QRI = max(t.QRI, respV1)
	}
	return t
}
