package querier

import (
	"net/netip"

	"github.com/ofmcast/ofmcast/igmp"
)

func (c *Config) header(src netip.Addr) igmp.Header {
	return igmp.Header{EthSrc: c.MAC, VLANs: c.VLANs, Src: src}
}

// ofOurs is a query with our own values, for version v. A querier writes no others.
func (c *Config) ofOurs(v uint8) igmp.Query {
	return igmp.Query{Version: v, Group: unspecified, MaxResp: c.QRI, QRV: uint8(c.RV), QQI: c.QI}
}

// renderGeneral returns the general query in each version. It never changes while the address stays.
func renderGeneral(c *Config, src netip.Addr) ([][]byte, error) {
	var frames [][]byte
	for _, v := range c.Versions {
		m := c.ofOurs(v)
		frame, err := igmp.AppendFrame(nil, c.header(src), &m)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame)
	}
	return frames, nil
}

// append renders m behind what is in buf, and hands it out.
func (q *Querier) append(m *igmp.Query) (err error) {
	start := len(q.buf)
	if q.buf, err = igmp.AppendFrame(q.buf, q.cfg.header(q.addrs[0]), m); err != nil {
		return err
	}
	q.hand(start)
	return nil
}

// hand adds the frame from start on to frames. Its capacity ends with it, so that who appends to it does not write into
// the next.
func (q *Querier) hand(start int) {
	q.frames = append(q.frames, q.buf[start:len(q.buf):len(q.buf)])
}
