package igmp

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ofmcast/ofmcast/internal/pcap"
	"github.com/stretchr/testify/require"
)

// The captures of real hosts; odd.pcap, made by hand, has a table of its own.
var hostCaptures = map[string]int{"kernel-v1": 39, "kernel-v2": 102, "kernel-v3": 284, "mixed": 129, "storm": 2760}

// readCapture reads a file of testdata/captures, compressed or not.
func readCapture(tb testing.TB, name string) []byte {
	tb.Helper()
	path := filepath.Join("testdata", "captures", name)
	b, err := os.ReadFile(path)
	if err == nil {
		return b
	}
	b, err = os.ReadFile(path + ".gz")
	require.NoError(tb, err)
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(tb, err)
	b, err = io.ReadAll(z)
	require.NoError(tb, err)
	return b
}

func packets(tb testing.TB, capture string) []pcap.Packet {
	tb.Helper()
	all, err := pcap.ReadAll(bytes.NewReader(readCapture(tb, capture+".pcap")))
	require.NoError(tb, err)
	return all
}

// dissection is a line of an .expect.jsonl file: what tshark 4.0.17 says of a packet.
type dissection struct {
	N       int      `json:"n"`
	T       float64  `json:"t"`
	Len     int      `json:"len"`
	EthSrc  string   `json:"eth_src"`
	EthDst  string   `json:"eth_dst"`
	EthType string   `json:"eth_type"`
	VLANIDs []uint16 `json:"vlan_ids"`
	IP      *struct {
		Src, Dst       string
		TTL            uint8
		TOS            string
		ID             string
		Proto          uint8
		MF             int
		FragOffset     int    `json:"frag_offset"`
		RouterAlert    bool   `json:"router_alert"`
		ChecksumStatus string `json:"checksum_status"`
	}
	IGMP *struct {
		Version        *uint8
		Type           string
		MaxRespS       float64 `json:"max_resp_s"`
		Group          string
		ChecksumStatus string `json:"checksum_status"`
		S              int
		QRV            uint8
		QQIC           uint8
		Sources        []string
		Records        []struct {
			Type    uint8
			Group   string
			Sources []string
			Aux     uint8 `json:"aux_data_len"`
		}
		Data string
	}
}

func dissections(tb testing.TB, capture string) []dissection {
	tb.Helper()
	var all []dissection
	d := json.NewDecoder(bytes.NewReader(readCapture(tb, capture+".expect.jsonl")))
	for d.More() {
		var one dissection
		require.NoError(tb, d.Decode(&one))
		all = append(all, one)
	}
	return all
}

// facts is what tshark and a View can both say of a frame.
type facts struct {
	EthSrc, EthDst        string
	VLANs                 []uint16
	Src, Dst              string
	TTL, Protocol         uint8
	TOS, ID               string
	RouterAlert, Fragment bool
	IPChecksum, IGMPSum   string
	Type                  string
	Version               uint8
	Group                 string
	MaxResp               time.Duration
	S                     bool
	QRV                   uint8
	QQIC                  Code
	Sources               []string
	Records               []recordFacts
	Data                  string // of what is no membership message
}

type recordFacts struct {
	Type    RecordType
	Group   string
	Aux     uint8
	Sources []string
}

// factsOf translates tshark's words.
func factsOf(d dissection) facts {
	f := facts{EthSrc: d.EthSrc, EthDst: d.EthDst, VLANs: d.VLANIDs}
	if d.IP == nil {
		return f
	}
	f.Src, f.Dst, f.TTL, f.Protocol = d.IP.Src, d.IP.Dst, d.IP.TTL, d.IP.Proto
	f.TOS, f.ID, f.RouterAlert = d.IP.TOS, d.IP.ID, d.IP.RouterAlert
	f.Fragment = d.IP.MF != 0 || d.IP.FragOffset != 0
	f.IPChecksum = d.IP.ChecksumStatus
	if d.IGMP == nil {
		return f
	}
	m := d.IGMP
	f.Type, f.Group, f.IGMPSum, f.Data = m.Type, m.Group, m.ChecksumStatus, m.Data
	if m.Version != nil {
		f.Version = *m.Version
	}
	f.MaxResp = time.Duration(m.MaxRespS*10+0.5) * tenth
	if m.Type == "0x11" && f.Version == 1 {
		f.MaxResp = maxRespV1 // tshark shows none
	}
	f.S, f.QRV, f.QQIC, f.Sources = m.S == 1, m.QRV, Code(m.QQIC), m.Sources
	for _, r := range m.Records {
		f.Records = append(f.Records, recordFacts{RecordType(r.Type), r.Group, r.Aux, r.Sources})
	}
	return f
}

// factsSeen says the same of our decoding.
func factsSeen(t *testing.T, v *View) facts {
	var f facts
	if v.EthSrc != (MAC{}) || v.EthDst != (MAC{}) {
		f.EthSrc, f.EthDst = v.EthSrc.String(), v.EthDst.String()
	}
	for _, vlan := range v.VLANs() {
		f.VLANs = append(f.VLANs, vlan.ID)
	}
	if v.Layer < LayerIPv4 {
		return f
	}
	f.Src, f.Dst, f.TTL, f.Protocol = v.Src.String(), v.Dst.String(), v.TTL, v.Protocol
	f.TOS, f.ID = fmt.Sprintf("0x%02x", v.TOS), fmt.Sprintf("0x%04x", v.ID)
	f.RouterAlert, f.Fragment = v.RouterAlert, v.Fragment
	f.IPChecksum = stateWord(v.IPChecksum)
	if v.Checksum == ChecksumUnread {
		return f
	}
	f.Type = fmt.Sprintf("0x%02x", uint8(v.Type))
	if !v.Type.membership() {
		f.Data = colons(v.Payload()[1:])
		return f
	}
	f.IGMPSum = stateWord(v.Checksum)
	f.Version, f.MaxResp, f.S, f.QRV = v.Version, v.MaxResp, v.SuppressRouter, v.QRV
	if v.Group.IsValid() {
		f.Group = v.Group.String()
	}
	var err error
	f.QQIC, err = QQICode(v.QQI) // exact: each code has a value of its own
	require.NoError(t, err)
	f.Sources = addrStrings(v.Sources())
	for r := range v.Records() {
		f.Records = append(f.Records, recordFacts{r.Type, r.Group.String(), r.AuxWords, addrStrings(r.Sources())})
	}
	return f
}

func stateWord(s ChecksumState) string {
	if s == ChecksumUnread {
		return "" // tshark has no word for it
	}
	return s.String()
}

func addrStrings(seq func(func(netip.Addr) bool)) (s []string) {
	for a := range seq {
		s = append(s, a.String())
	}
	return s
}

func colons(b []byte) string {
	words := make([]string, len(b))
	for i := range b {
		words[i] = hex.EncodeToString(b[i : i+1])
	}
	return strings.Join(words, ":")
}

// diffFacts does not tell an empty list from none.
func diffFacts(want, got facts) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

func TestEveryPacketOfRealHostsDecodesAsTsharkSays(t *testing.T) {
	for name, count := range hostCaptures {
		t.Run(name, func(t *testing.T) {
			frames, expected := packets(t, name), dissections(t, name)
			require.Len(t, frames, count)
			require.Len(t, expected, count)
			var d Decoder
			for i, frame := range frames {
				require.Equal(t, i+1, expected[i].N)
				v, err := d.Frame(frame.Data)
				require.NoError(t, err, "packet %d", i+1)
				require.Empty(t, diffFacts(factsOf(expected[i]), factsSeen(t, v)), "packet %d", i+1)
			}
		})
	}
}
