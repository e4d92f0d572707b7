package igmpconn

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
)

// Frames are the head of one to 239.1.1.1 with what differs written in full.
func TestFilterLetsIGMPAndPIMHellosPass(t *testing.T) {
	const macs = "01005e0101010200000000aa"
	ip := func(protocol, dst string) string { return "45c000200000400001" + protocol + "0000c0000201" + dst }
	igmp := "0800" + ip("02", "ef010101")
	program := filter(Config{Outgoing: true}) // the package's VM does not know the kind of a frame
	for name, c := range map[string]struct {
		frame string
		pass  bool
	}{
		"IGMP":                   {macs + igmp, true},
		"with a tag":             {macs + "8100000a" + igmp, true},
		"with a service tag":     {macs + "88a8000a" + igmp, true},
		"with two tags":          {macs + "88a80064" + "8100000a" + igmp, true},
		"with three":             {macs + "88a80064" + "8100000a" + "8100000b" + igmp, false},
		"PIM hello":              {macs + "0800" + ip("67", "e000000d"), true},
		"PIM hello with two":     {macs + "81000064" + "8100000a" + "0800" + ip("67", "e000000d"), true},
		"PIM register":           {macs + "0800" + ip("67", "c0000202"), false},
		"UDP":                    {macs + "0800" + ip("11", "ef010101"), false},
		"UDP with a tag":         {macs + "8100000a" + "0800" + ip("11", "ef010101"), false},
		"IPv6":                   {macs + "86dd" + ip("02", "ef010101"), false},
		"ARP":                    {macs + "0806" + "0001", false},
		"ends in the IP header":  {macs + "0800" + "45c00020", false},
		"ends in the tag":        {macs + "8100", false},
		"ends in the addresses":  {"01005e", false},
		"IGMP with IPv4 options": {macs + "0800" + "46c000240000400001020000c0000201ef01010194040000", true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.pass, run(t, program, c.frame))
			require.True(t, run(t, filter(Config{Outgoing: true, All: true}), c.frame))
			require.False(t, run(t, nothing, c.frame))
		})
	}
}

func run(t *testing.T, program []bpf.Instruction, frame string) bool {
	t.Helper()
	_, err := bpf.Assemble(program)
	require.NoError(t, err)
	vm, err := bpf.NewVM(program)
	require.NoError(t, err)
	data, err := hex.DecodeString(frame)
	require.NoError(t, err)
	n, err := vm.Run(data)
	require.NoError(t, err)
	return n > 0
}

func TestFilterLeavesOutgoingFramesOutFirst(t *testing.T) {
	program := filter(Config{})
	require.Equal(t, bpf.LoadExtension{Num: bpf.ExtType}, program[0])
	require.Equal(t, filter(Config{Outgoing: true}), program[3:])
	_, err := bpf.Assemble(program)
	require.NoError(t, err)
}
