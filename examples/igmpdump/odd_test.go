package main

// difference is what we say otherwise than tshark of a frame, and why.
type difference struct {
	set  object   // keys with other values
	drop []string // keys that are not there
}

func (d difference) apply(o object) object {
	if o == nil && d.set != nil {
		o = object{}
	}
	for k, v := range d.set {
		o[k] = v
	}
	for _, k := range d.drop {
		delete(o, k)
	}
	return o
}

// facts are those of an odd frame that tshark does not read, with what more there is.
func facts(n int, time string, more object) object {
	o := object{
		"n": float64(n), "time": "2027-01-15T08:00:" + time, "eth_src": "02:00:00:00:00:01",
		"src": "192.0.2.1", "dst": "239.1.1.1", "ttl": float64(1), "error": true,
	}
	for k, v := range more {
		o[k] = v
	}
	return o
}

// differences are by frame of the odd capture.
var differences = map[int]difference{
	// A wrong IPv4 header checksum has no key of its own.
	14: {set: object{"error": true}},
	// The checksum covers the whole IPv4 payload, not its first 8 bytes.
	15: {set: object{"checksum_ok": false}},
	30: {set: object{"checksum_ok": true}}, 31: {set: object{"checksum_ok": true}},
	// Malformed IPv4 options.
	76: {set: object{"error": true}}, 77: {set: object{"error": true}},
	// Fragments are not put together.
	78: {set: object{"error": true}},
	79: {set: object{"error": true}, drop: []string{"type", "version", "records", "checksum_ok"}},
	// The IPv4 header is broken, but its protocol is there.
	87: {set: facts(87, "00.860000Z", nil)}, 88: {set: facts(88, "00.870000Z", nil)},
	90: {set: facts(90, "00.890000Z", object{"router_alert": true})}, 93: {set: facts(93, "00.920000Z", nil)},
	// The header says that there is more than there is: the checksum of that is not known.
	89: {set: object{"error": true}, drop: []string{"checksum_ok"}},
	94: {drop: []string{"src", "dst", "router_alert"}},
	95: {set: object{"error": true}},
	// No message at all, or no length for it.
	91: {set: object{"error": true}}, 92: {set: object{"error": true}}, 116: {set: object{"error": true}},
	// A query of a length that no version has, has no version, and its code no meaning.
	117: {drop: []string{"version", "max_resp_ms"}, set: object{"type": "query"}},
	118: {drop: []string{"version", "max_resp_ms"}},
	119: {drop: []string{"version", "max_resp_ms"}, set: object{"checksum_ok": true}},
	120: {drop: []string{"version", "max_resp_ms"}, set: object{"checksum_ok": true}},
	121: {drop: []string{"version", "max_resp_ms"}, set: object{"checksum_ok": true, "error": true}},
	122: {drop: []string{"version", "max_resp_ms"}, set: object{"checksum_ok": true, "error": true}},
	123: {drop: []string{"version", "max_resp_ms"}, set: object{"checksum_ok": true, "error": true}},
	// tshark takes it for a version 0 message that is cut.
	140: {drop: []string{"error"}},
}
