package ofconn

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// Whatever a switch sends, the session neither panics nor stands still: when
// the stream has ended, so have the session and every call.
func FuzzAnythingFromASwitchEndsWell(f *testing.F) {
	f.Fuzz(func(t *testing.T, stream []byte) {
		near, far := net.Pipe()
		in := newInbox(fuzzEvents, newDamper(slog.New(slog.DiscardHandler)))
		in.admit()
		version := ofgroup.OpenFlow15
		if len(stream) > 0 && stream[0] == openflow.Version13 {
			version = ofgroup.OpenFlow13
		}
		s := newSession(near, version, Config{Events: fuzzEvents}.withDefaults(), in)
		s.start(newReader(near))
		var handlers sync.WaitGroup
		handlers.Go(in.run)
		go io.Copy(io.Discard, far)
		group := ofgroup.New(1, ofgroup.All)
		calls := make(chan error)
		ctx := context.Background()
		go func() { _, err := group.Commit(ctx, s); calls <- err }()
		go func() { _, _, err := s.GroupDesc(ctx, 1); calls <- err }()
		go func() { _, err := s.FlowStats(ctx, FlowFilter{}); calls <- err }()
		go func() { calls <- s.Bundle(ctx, FlowMod{}, FlowMod{}) }()
		_, _ = far.Write(stream)
		far.Close()

		for range 4 {
			<-calls
		}
		<-s.Done()
		if n := s.Stats().Pending; n != 0 {
			t.Fatalf("%d calls left", n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		in.close()
		handlers.Wait()
		if stats := in.snapshot(); stats.Panics != 0 {
			t.Fatalf("a handler got what it cannot take: %+v", stats)
		}
	})
}

// fuzzEvents takes everything.
var fuzzEvents = Events{
	PacketIn:         func(*PacketIn, time.Time) {},
	PortStatus:       func(PortStatus, time.Time) {},
	FlowRemoved:      func(FlowRemoved, time.Time) {},
	RoleStatus:       func(RoleStatus, time.Time) {},
	RequestForward:   func(ofgroup.RequestForward, time.Time) {},
	PacketOutRefused: func(*ofgroup.SwitchError) {},
}

func FuzzPeerVersions(f *testing.F) {
	f.Fuzz(func(t *testing.T, hello []byte) {
		if len(hello) < openflow.HeaderLen {
			return
		}
		seen := uint32(0)
		for _, v := range peerVersions(hello) {
			if seen&(1<<v) != 0 {
				t.Fatalf("%v twice", v)
			}
			seen |= 1 << v
		}
		if len(hello) == openflow.HeaderLen && hello[0] < 32 && seen != 1<<(hello[0]+1)-2 {
			t.Fatalf("%08b for version %d", seen, hello[0])
		}
		if len(hello) == 16 && binary.BigEndian.Uint32(hello[8:]) == 0x00010008 && seen != binary.BigEndian.Uint32(hello[12:]) {
			t.Fatalf("%08b of bitmap % x", seen, hello[12:])
		}
	})
}
