package ofgrouptest

import "fmt"

const (
	openFlow11 = "an action of OpenFlow 1.1, which Open vSwitch takes and rewrites; here it is unknown"
	rewritten  = "Open vSwitch rewrites it to a set_field of tun_id; here it is kept as it came"
	lowBits    = "the field's unused bits are its low ones; here all its bits may be set"
)

// knownDifferences are the recorded requests that this switch judges otherwise than
// Open vSwitch 3.1.0, each with the reason. A row that no longer differs fails.
func knownDifferences() map[string]string {
	m := map[string]string{
		"probe-nicira-2-len-16": rewritten,
		"probe-set-0-5-ones":    lowBits,
	}
	for _, action := range []int{13, 14} { // set_vlan_vid and the like: only their lengths were tried
		for n := 8; n <= 32; n += 8 {
			m[fmt.Sprintf("probe-action-%d-len-%d", action, n)] = openFlow11
		}
	}
	return m
}
