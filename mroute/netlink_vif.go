package mroute

import "github.com/mdlayher/netlink"

// The attributes of a multicast routing table in RTM_NEWLINK of RTNL_FAMILY_IPMR (linux/mroute.h): a table has VIFs, and
// each has its own attributes.
const (
	ifinfomsgLen = 16 // struct ifinfomsg
	iflaAFSpec   = 26

	ipmraTableID   = 1
	ipmraTableVIFs = 6
	ipmraVIF       = 1

	vifaIfIndex    = 1
	vifaID         = 2
	vifaFlags      = 3
	vifaBytesIn    = 4
	vifaBytesOut   = 5
	vifaPacketsIn  = 6
	vifaPacketsOut = 7
)

// parseVIFs reads the body of an RTM_NEWLINK message, and the VIFs of one table in it. A message of another table has
// none.
func parseVIFs(b []byte, table uint32) ([]KernelVIF, error) {
	if len(b) < ifinfomsgLen || b[0] != familyIPMR {
		return nil, ErrMalformed
	}
	ad, err := netlink.NewAttributeDecoder(b[ifinfomsgLen:])
	if err != nil {
		return nil, ErrMalformed
	}
	var vifs []KernelVIF
	for ad.Next() {
		if ad.Type() != iflaAFSpec {
			continue
		}
		ad.Nested(func(nested *netlink.AttributeDecoder) error {
			id, of := parseTable(nested)
			if id == table {
				vifs = append(vifs, of...)
			}
			return nested.Err()
		})
	}
	if ad.Err() != nil {
		return nil, ErrMalformed
	}
	return vifs, nil
}

func parseTable(ad *netlink.AttributeDecoder) (id uint32, vifs []KernelVIF) {
	for ad.Next() {
		switch ad.Type() {
		case ipmraTableID:
			id = ad.Uint32()
		case ipmraTableVIFs:
			ad.Nested(func(list *netlink.AttributeDecoder) error {
				for list.Next() {
					if list.Type() == ipmraVIF {
						list.Nested(func(one *netlink.AttributeDecoder) error {
							vifs = append(vifs, parseVIF(one))
							return one.Err()
						})
					}
				}
				return list.Err()
			})
		}
	}
	return id, vifs
}

func parseVIF(ad *netlink.AttributeDecoder) KernelVIF {
	v := KernelVIF{Port: Port{VIF: NoVIF}}
	for ad.Next() {
		switch ad.Type() {
		case vifaIfIndex:
			v.Index = IfIndex(int32(ad.Uint32()))
		case vifaID:
			v.VIF = VIF(min(ad.Uint32(), uint32(NoVIF)))
		case vifaFlags:
			flags := ad.Uint16()
			v.Register = flags&viffRegister != 0
			v.Static = flags&viffStatic != 0
		case vifaBytesIn:
			v.Counters.BytesIn = ad.Uint64()
		case vifaBytesOut:
			v.Counters.BytesOut = ad.Uint64()
		case vifaPacketsIn:
			v.Counters.PacketsIn = ad.Uint64()
		case vifaPacketsOut:
			v.Counters.PacketsOut = ad.Uint64()
		}
	}
	return v
}
