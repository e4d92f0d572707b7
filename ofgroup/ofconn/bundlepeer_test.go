package ofconn_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

// bundlePeer is a switch that takes bundles, played by hand.
type bundlePeer struct {
	*peer
	heard   []openflow.BundleControl // in the order of arrival
	adds    []openflow.BundleAdd
	xids    []uint32                            // of the adds
	each    func(message []byte)                // sees what comes, and what is in bundles
	refusal func(openflow.BundleControl) []byte // an error's body instead of an answer
	mute    func(openflow.BundleControl) bool   // no answer
	badAdd  int                                 // the number, from 1, of the one to refuse
}

// bundleFailed is the body of an error about a bundle.
func bundleFailed(code byte) []byte { return []byte{0, 17, 0, code} }

// serve answers until the connection ends.
func (p *bundlePeer) serve() {
	for m := p.recv(); m != nil; m = p.recv() {
		if m[1] == typeBarrier {
			p.write(reply(typeBarrier+1, m))
		}
		if c, ok := openflow.ParseBundleControl(m); ok {
			p.heard = append(p.heard, c)
			p.answer(c, m)
		}
		a, ok := openflow.ParseBundleAdd(m)
		if p.each != nil && !ok {
			p.each(m)
		}
		if ok {
			if p.each != nil {
				p.each(a.Message)
			}
			p.adds = append(p.adds, a)
			p.xids = append(p.xids, binary.BigEndian.Uint32(m[4:]))
			if len(p.adds) == p.badAdd {
				p.write(reply(1, m, append([]byte{0, 6, 0, 0}, m...)...))
			}
		}
	}
}

func (p *bundlePeer) answer(c openflow.BundleControl, m []byte) {
	if p.mute != nil && p.mute(c) {
		return
	}
	if p.refusal != nil {
		if body := p.refusal(c); body != nil {
			p.write(reply(1, m, append(body, m...)...))
			return
		}
	}
	p.write(reply(33, m, binary.BigEndian.AppendUint64(nil, uint64(c.ID)<<32|uint64(c.Step+1)<<16)...))
}

// steps is what was asked of the bundles, and of how many there were.
func (p *bundlePeer) steps(t testing.TB) (steps []openflow.BundleStep, bundles int) {
	t.Helper()
	ids := map[uint32]bool{}
	for _, c := range p.heard {
		require.NotZero(t, c.ID)
		require.EqualValues(t, 3, c.Flags, "atomic and ordered")
		steps, ids[c.ID] = append(steps, c.Step), true
	}
	return steps, len(ids)
}
