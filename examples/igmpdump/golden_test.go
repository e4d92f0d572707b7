package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const captures = "../../igmp/testdata/captures/"

// object is a line of -json, as a program that knows nothing of ours reads it.
type object = map[string]any

// The captures of real hosts, and the odd frames: every key of every packet is what tshark says.
func TestEveryKeyOfEveryPacketIsWhatTsharkSays(t *testing.T) {
	for name, file := range map[string]string{
		"kernel-v1": "kernel-v1.pcap", "kernel-v2": "kernel-v2.pcap", "kernel-v3": "kernel-v3.pcap",
		"mixed": "mixed.pcap", "storm": "storm.pcap.gz", "odd": "odd.pcap",
	} {
		t.Run(name, func(t *testing.T) {
			want := expected(t, captures+name+".expect.jsonl.gz", name == "odd")
			got := dumpJSON(t, captures+file)
			require.Len(t, got, len(want))
			for i := range want {
				n := want[i]["n"]
				if _, known := want[i]["checksum_ok"]; !known && want[i]["type"] == "other" {
					delete(got[i], "checksum_ok") // tshark does not look at it
				}
				if (want[i]["error"] != nil) != (got[i]["error"] != nil) {
					t.Fatalf("frame %v: error %v", n, got[i]["error"])
				}
				delete(want[i], "error")
				delete(got[i], "error")
				if !reflect.DeepEqual(want[i], got[i]) {
					require.Equal(t, want[i], got[i], "frame %v", n)
				}
			}
		})
	}
}

// expected reads what tshark says, as our objects.
func expected(t *testing.T, path string, odd bool) []object {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	var want []object
	for lines := json.NewDecoder(plain); ; {
		var e expectation
		if err := lines.Decode(&e); err == io.EOF {
			return want
		}
		o := e.object()
		if odd {
			o = differences[e.N].apply(o)
		}
		if o != nil {
			want = append(want, o)
		}
	}
}

// expectation is a line of the expect files.
type expectation struct {
	N         int
	T         float64
	Protocols string
	EthSrc    string `json:"eth_src"`
	VLANs     []any  `json:"vlan_ids"`
	Malformed bool
	IP        *struct {
		Src, Dst    any
		TTL, Proto  any
		RouterAlert any `json:"router_alert"`
	}
	IGMP *struct {
		Version        any
		Type           string
		MaxResp        *float64 `json:"max_resp_s"`
		Group          any
		ChecksumStatus string `json:"checksum_status"`
		S              *int
		QRV, QQIC      any
		Sources        []any
		Records        []struct {
			Type     int
			Group    string
			Sources  []any
			AuxWords int `json:"aux_data_len"`
		}
	}
}

var typeNames = map[string]string{"0x11": "query", "0x12": "report-v1", "0x16": "report-v2", "0x17": "leave", "0x22": "report-v3"}

var recordNames = []string{1: "MODE_IS_INCLUDE", "MODE_IS_EXCLUDE", "CHANGE_TO_INCLUDE_MODE", "CHANGE_TO_EXCLUDE_MODE",
	"ALLOW_NEW_SOURCES", "BLOCK_OLD_SOURCES"}

// object is what we should print, or nil.
func (e *expectation) object() object {
	if e.IP == nil || e.IP.Proto != float64(2) {
		return nil
	}
	o := object{
		"n": float64(e.N), "eth_src": e.EthSrc, "src": e.IP.Src, "dst": e.IP.Dst, "ttl": e.IP.TTL, "router_alert": e.IP.RouterAlert,
		"time": time.UnixMicro(int64(math.Round(e.T * 1e6))).UTC().Format("2006-01-02T15:04:05.000000Z"),
	}
	if e.VLANs != nil {
		o["vlans"] = e.VLANs
	}
	if e.Malformed {
		o["error"] = true
	}
	if strings.Contains(e.Protocols, "igmp") {
		o["type"] = "other"
	}
	if e.IGMP != nil {
		e.message(o)
	}
	return o
}

func (e *expectation) message(o object) {
	m := e.IGMP
	name, known := typeNames[m.Type]
	if m.ChecksumStatus == "good" || m.ChecksumStatus == "bad" {
		o["checksum_ok"] = m.ChecksumStatus == "good"
	}
	if !known {
		return
	}
	o["type"], o["version"] = name, m.Version
	if name != "report-v3" && m.Group != nil {
		o["group"] = m.Group
	}
	switch {
	case name == "query" && m.Version == float64(1):
		o["max_resp_ms"] = float64(10000)
	case name == "query":
		o["max_resp_ms"] = math.Round(*m.MaxResp * 1000)
	}
	if m.S != nil {
		o["s_flag"], o["qrv"], o["qqi_s"], o["sources"] = *m.S == 1, m.QRV, codeValue(m.QQIC), notNull(m.Sources)
	}
	if m.Records != nil {
		records := []any{}
		for _, r := range m.Records {
			kind := fmt.Sprintf("UNKNOWN(%d)", r.Type)
			if r.Type > 0 && r.Type < len(recordNames) {
				kind = recordNames[r.Type]
			}
			records = append(records, object{"type": kind, "group": r.Group, "sources": notNull(r.Sources), "aux_words": float64(r.AuxWords)})
		}
		o["records"] = records
	}
}

func notNull(a []any) []any {
	if a == nil {
		return []any{}
	}
	return a
}

// codeValue is what a QQIC means (RFC 9776 4.1.7), which tshark does not say.
func codeValue(code any) any {
	c := int(code.(float64))
	if c >= 128 {
		c = (c&0x0f | 0x10) << (c>>4&0x07 + 3)
	}
	return float64(c)
}

// dumpJSON runs the command.
func dumpJSON(t *testing.T, args ...string) []object {
	t.Helper()
	var objects []object
	for lines := json.NewDecoder(bytes.NewReader(runDump(t, append([]string{"-json"}, args...)...))); ; {
		o := object{}
		err := lines.Decode(&o)
		if err == io.EOF {
			return objects
		}
		require.NoError(t, err)
		objects = append(objects, o)
	}
}

func runDump(t *testing.T, args ...string) []byte {
	t.Helper()
	o, err := parseOptions(args, io.Discard)
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(t.Context(), o, &stdout, &stderr))
	require.Empty(t, stderr.String())
	return stdout.Bytes()
}
