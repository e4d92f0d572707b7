package igmpconn

import "golang.org/x/net/bpf"

const (
	etherTypeIPv4 = 0x0800
	tpidService   = 0x88a8

	offEtherType = 12
	offProtocol  = 9 // in the IPv4 header
	offDst       = 16

	protocolIGMP  = 2
	protocolPIM   = 103
	allPIMRouters = 0xe000000d // 224.0.0.13, where hellos go (RFC 7761 4.3.1)

	packetOutgoing = 4 // PACKET_OUTGOING of linux/if_packet.h

	wholeFrame = 0x40000 // more than any frame has
)

// nothing lets no frame pass.
var nothing = []bpf.Instruction{bpf.RetConstant{Val: 0}}

// filter is the program that the kernel runs for every frame of the interface. A tag that the kernel took off is not
// seen by it; there may be up to two more.
func filter(cfg Config) []bpf.Instruction {
	var p []bpf.Instruction
	if !cfg.Outgoing {
		p = append(p,
			bpf.LoadExtension{Num: bpf.ExtType},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: packetOutgoing, SkipTrue: 1},
			bpf.RetConstant{Val: 0})
	}
	if cfg.All {
		return append(p, bpf.RetConstant{Val: wholeFrame})
	}
	return append(p,
		// X counts the bytes of tags in front of the EtherType.
		bpf.LoadConstant{Dst: bpf.RegX, Val: 0},
		bpf.LoadAbsolute{Off: offEtherType, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: etherTypeIPv4, SkipTrue: 10},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: tpidCustomer, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tpidService, SkipTrue: 14},
		bpf.LoadConstant{Dst: bpf.RegX, Val: vlanTag},
		bpf.LoadIndirect{Off: offEtherType, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: etherTypeIPv4, SkipTrue: 5},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: tpidCustomer, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tpidService, SkipTrue: 9},
		bpf.LoadConstant{Dst: bpf.RegX, Val: 2 * vlanTag},
		bpf.LoadIndirect{Off: offEtherType, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: etherTypeIPv4, SkipTrue: 6},
		// IPv4.
		bpf.LoadIndirect{Off: ethHeader + offProtocol, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolIGMP, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: protocolPIM, SkipTrue: 3},
		bpf.LoadIndirect{Off: ethHeader + offDst, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: allPIMRouters, SkipTrue: 1},
		bpf.RetConstant{Val: wholeFrame},
		bpf.RetConstant{Val: 0},
	)
}

const ethHeader = 14
