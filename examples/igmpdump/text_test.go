package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALineIsReadable(t *testing.T) {
	lines := strings.Split(string(runDump(t, "-all", captures+"odd.pcap")), "\n")
	for _, want := range []string{
		"     1    0.000000  192.0.2.254     > 224.0.0.1        query v1  general, answer in 10s",
		"     3    0.020000  192.0.2.254     > 239.1.1.1        query v2  239.1.1.1, answer in 1s",
		"     5    0.040000  192.0.2.254     > 239.1.1.1        query v3  239.1.1.1 {198.51.100.1 198.51.100.2}, answer in 1s, every 2m5s, robustness 2",
		"     6    0.050000  192.0.2.1       > 239.1.1.1        report v1  239.1.1.1",
		"     8    0.070000  192.0.2.1       > 224.0.0.2        leave  239.1.1.1",
		"    10    0.090000  192.0.2.1       > 239.1.1.1        report v2  239.1.1.1  [checksum wrong]",
		"    22    0.210000  192.0.2.1       > 224.0.0.22       report v3  239.1.1.1 TO_EX{}, 232.1.1.1 IS_IN{198.51.100.1}  [records past the end of the report]",
		"    39    0.380000  192.0.2.1       > 224.0.0.22       report v3",
		"    40    0.390000  192.0.2.1       > 224.0.0.22       report v3  239.1.1.1 UNKNOWN(7){198.51.100.1}, 239.1.1.2 TO_EX{}",
		"    49    0.480000  192.0.2.1       > 224.0.0.22       report v3  239.9.0.1 IS_EX{}, 239.9.0.2 IS_EX{}, 239.9.0.3 IS_EX{}, 239.9.0.4 IS_EX{}, " +
			"239.9.0.5 IS_EX{}, 239.9.0.6 IS_EX{}, 239.9.0.7 IS_EX{}, 239.9.0.8 IS_EX{}, … 175 more",
		"    67    0.660000  192.0.2.1       > 239.1.1.1        report v2  239.1.1.1  [TTL 64]",
		"    71    0.700000  192.0.2.1       > 224.0.0.22       report v3  239.1.1.1 TO_EX{}  [no Router Alert]",
		"   104    1.030000  192.0.2.254     > 239.1.1.1        query v3  239.1.1.1, answer in 1s, every 2m5s, robustness 7, S",
		"   121    1.200000  192.0.2.254     > 224.0.0.1        query  general  [IGMP query of 9 to 11 bytes]",
		"   133    1.320000  192.0.2.254     > 224.0.0.106      router advertisement",
		"   151    1.500000  192.0.2.1       > 239.1.1.1        report v2  239.1.1.1  [VLAN 100 10]",
		"   166    1.650000  02:00:00:00:00:01 > ?  [not IGMP: EtherType 0x0806]",
	} {
		require.Contains(t, lines, want)
	}
	full := string(runDump(t, "-full", captures+"odd.pcap"))
	require.Contains(t, full, "239.9.0.183 IS_EX{}")
	require.NotContains(t, full, "more")
}

func TestItEndsAfterSoManyPackets(t *testing.T) {
	require.Len(t, dumpJSON(t, "-c", "3", captures+"mixed.pcap"), 3)
}

func TestAFileThatIsCutIsShownUpToThere(t *testing.T) {
	whole, err := os.ReadFile(captures + "kernel-v1.pcap")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "capture")
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-1], 0o600))
	var out bytes.Buffer
	require.ErrorIs(t, run(t.Context(), options{file: path}, &out, io.Discard), io.ErrUnexpectedEOF)
	require.Equal(t, 38, strings.Count(out.String(), "\n"))
	require.ErrorIs(t, run(t.Context(), options{file: path + "?"}, &out, io.Discard), os.ErrNotExist)
}

func TestOptions(t *testing.T) {
	for _, args := range [][]string{{}, {"-i", "eth0", "file"}, {"a", "b"}, {"-c", "-1", "file"}, {"-x"}} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, "%v", args)
	}
	after, err := parseOptions([]string{"-all", "file", "-json"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, options{file: "file", json: true, all: true}, after, "flags may follow the file")
	var help bytes.Buffer
	_, err = parseOptions([]string{"-help"}, &help)
	require.True(t, errors.Is(err, flag.ErrHelp))
	for _, key := range []string{"n ", "time ", "vlans ", "eth_src ", "src, dst", "ttl ", "router_alert ", "type ", "version ", "max_resp_ms ",
		"group ", "s_flag, qrv, qqi_s, sources", "records ", "aux_words", "checksum_ok ", "error "} {
		require.Contains(t, help.String(), key)
	}
	for _, line := range strings.Split(help.String(), "\n") {
		require.LessOrEqual(t, len(line), 110, line)
	}
}

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFaultOfTheOutputIsSaidOnce(t *testing.T) {
	err := run(t.Context(), options{file: captures + "odd.pcap"}, full{}, io.Discard)
	require.Equal(t, syscall.ENOSPC, err)
}
