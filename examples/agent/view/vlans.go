package view

// VLANRange are VLANs that follow each other.
type VLANRange struct {
	First uint16 `json:"first"`
	Last  uint16 `json:"last"`
}

// Ranges sums up VLANs, which ascend. VLAN 0, which is none, stays by itself.
func Ranges(vlans []uint16) []VLANRange {
	out := []VLANRange{}
	for _, v := range vlans {
		if last := len(out) - 1; last >= 0 && out[last].Last != 0 && out[last].Last+1 == v {
			out[last].Last = v
			continue
		}
		out = append(out, VLANRange{v, v})
	}
	return out
}

// Carried says whether packets of a VLAN go to the port.
func (p Port) Carried(vlan uint32) bool {
	for _, r := range p.Carries {
		if uint32(r.First) <= vlan && vlan <= uint32(r.Last) {
			return true
		}
	}
	return false
}
