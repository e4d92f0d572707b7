package igmpdiff

import (
	"net/netip"
	"slices"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"github.com/ofmcast/ofmcast/igmp"
)

// facts are what both libraries say of a frame, in one form. A VLAN's TPID is not among them: gopacket does not keep it.
type facts struct {
	EthDst, EthSrc igmp.MAC
	VLANs          []igmp.VLAN
	Src, Dst       netip.Addr
	TTL, TOS       uint8
	ID             uint16
	RouterAlert    bool

	Type     igmp.Type
	Version  uint8
	Group    netip.Addr
	MaxResp  time.Duration // of queries
	Suppress bool
	QRV      uint8
	QQI      time.Duration
	Sources  []netip.Addr
	Records  []igmp.Record
}

// ours is what package igmp says.
func ours(frame []byte) (*facts, error) {
	var d igmp.Decoder
	v, err := d.Frame(frame)
	if err != nil {
		return nil, err
	}
	f := &facts{
		EthDst: v.EthDst, EthSrc: v.EthSrc, Src: v.Src, Dst: v.Dst, TTL: v.TTL, TOS: v.TOS, ID: v.ID,
		RouterAlert: v.RouterAlert, Type: v.Type, Version: v.Version, Group: v.Group, MaxResp: v.MaxResp,
		Suppress: v.SuppressRouter, QRV: v.QRV, QQI: v.QQI, Sources: slices.Collect(v.Sources()),
	}
	for _, tag := range v.VLANs() {
		tag.TPID = 0
		f.VLANs = append(f.VLANs, tag)
	}
	if r, ok := v.Message().(*igmp.ReportV3); ok {
		f.Records = r.Records
	}
	return f, nil
}

// theirs is what gopacket says, or nil if it does not find IGMP in IPv4 in Ethernet, or an error behind it.
func theirs(frame []byte) *facts {
	p := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.NoCopy)
	if p.ErrorLayer() != nil {
		return nil
	}
	f := &facts{}
	for i, l := range p.Layers() {
		switch l := l.(type) {
		case *layers.Ethernet:
			if i > 0 {
				return nil
			}
			f.EthDst, f.EthSrc = igmp.MAC(l.DstMAC), igmp.MAC(l.SrcMAC)
		case *layers.Dot1Q:
			f.VLANs = append(f.VLANs, igmp.VLAN{ID: l.VLANIdentifier, Priority: l.Priority, DropEligible: l.DropEligible})
		case *layers.IPv4:
			f.readIPv4(l)
		case *layers.IGMPv1or2:
			f.Type, f.Version, f.Group = igmp.Type(l.Type), l.Version, addr(l.GroupAddress)
			if l.Type == layers.IGMPMembershipQuery {
				f.MaxResp = l.MaxResponseTime
			}
			return f.ifLast(p, i)
		case *layers.IGMP:
			f.readIGMP(l)
			return f.ifLast(p, i)
		default:
			return nil // another way to IGMP
		}
	}
	return nil
}

func (f *facts) ifLast(p gopacket.Packet, i int) *facts {
	if i != len(p.Layers())-1 {
		return nil
	}
	return f
}

func (f *facts) readIPv4(l *layers.IPv4) {
	f.Src, f.Dst, f.TTL, f.TOS, f.ID = addr(l.SrcIP), addr(l.DstIP), l.TTL, l.TOS, l.Id
	for _, o := range l.Options {
		if o.OptionType == 148 && o.OptionLength == 4 {
			f.RouterAlert = true
		}
	}
}

func (f *facts) readIGMP(l *layers.IGMP) {
	f.Type, f.Version, f.MaxResp = igmp.Type(l.Type), l.Version, l.MaxResponseTime
	f.Suppress, f.QRV, f.QQI = l.SupressRouterProcessing, l.RobustnessValue, l.IntervalTime
	if f.Type == igmp.TypeQuery {
		f.Group = addr(l.GroupAddress)
	}
	f.Sources = addrs(l.SourceAddresses)
	for _, r := range l.GroupRecords {
		f.Records = append(f.Records, igmp.Record{
			Type: igmp.RecordType(r.Type), AuxWords: r.AuxDataLen, Group: addr(r.MulticastAddress), Sources: addrs(r.SourceAddresses),
		})
	}
}

func addr(ip []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a
}

func addrs[IP ~[]byte](ips []IP) (s []netip.Addr) {
	for _, ip := range ips {
		s = append(s, addr(ip))
	}
	return s
}
