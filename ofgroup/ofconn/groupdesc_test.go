package ofconn_test

import (
	"context"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/ovslab"
	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// part is one part of a description in OpenFlow 1.5.
func part(request []byte, more byte, body []byte) []byte {
	return reply(19, request, append([]byte{0, 7, 0, more, 0, 0, 0, 0}, body...)...)
}

func TestADescriptionIsAskedForAsTheVersionWants(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	asked := make(chan string, 1)
	p.play(func() {
		m := p.recv()
		asked <- hex.EncodeToString(m)
		p.write(part(m, 0, nil))
	})
	_, ok, err := s.GroupDesc(t.Context(), 0x01020304)
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, "0612001800000002"+"0007000000000000"+"0102030400000000", <-asked)
}

func TestADescriptionInPartsIsJoined(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	want := ports(8, 1, 2, 3)
	body := describe(t, want)
	p.play(func() {
		m := p.recv()
		p.write(part(m, 1, nil)) // an empty part, as Open vSwitch sends
		p.write(part(m, 1, body[:40]))
		p.write(part(m, 0, body[40:]))
		p.write(part(m, 0, describe(t, ports(8, 9)))) // nobody waits any more
		p.write(part(p.recv(), 0, nil))
	})
	held, ok, err := s.GroupDesc(t.Context(), 8)
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, want.Equal(held), "%v", held)
	_, ok, err = s.GroupDesc(t.Context(), 8)
	require.NoError(t, err)
	require.False(t, ok)
	require.EqualValues(t, 1, s.Stats().Unmatched)
}

func describe(t *testing.T, groups ...ofgroup.Group) []byte {
	return describeIn(t, ofgroup.OpenFlow15, groups...)
}

func describe13(t *testing.T, groups ...ofgroup.Group) []byte {
	return describeIn(t, ofgroup.OpenFlow13, groups...)
}

func describeIn(t *testing.T, v ofgroup.Version, groups ...ofgroup.Group) []byte {
	var body []byte
	for _, g := range groups {
		var err error
		body, err = ofgroup.AppendGroupDesc(body, v, g)
		require.NoError(t, err)
	}
	return body
}

func TestAnotherAnswerUnderTheSameNumberIsNotTaken(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.play(func() {
		m := p.recv()
		p.write(reply(19, m, 0, 6, 0, 0, 0, 0, 0, 0)) // group statistics
		p.write(reply(21, m))                         // a barrier reply
		p.write(part(m, 0, describe(t, ports(8, 1))))
	})
	_, ok, err := s.GroupDesc(t.Context(), 8)
	require.NoError(t, err)
	require.True(t, ok)
	require.EqualValues(t, 2, s.Stats().Unmatched)
}

func TestAMalformedDescriptionIsAnErrorOfItsCallOnly(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.play(func() {
		p.write(part(p.recv(), 0, []byte{0, 3}))
		p.write(part(p.recv(), 0, nil))
	})
	_, _, err := s.GroupDesc(t.Context(), 8)
	require.ErrorIs(t, err, ofgroup.ErrMalformed)
	_, _, err = s.GroupDesc(t.Context(), 8)
	require.NoError(t, err)
}

func TestAnAnswerAboutAnotherGroupOrTwiceIsAnErrorOfItsCallOnly(t *testing.T) {
	for name, answer := range map[string][]ofgroup.Group{
		"another":            {ports(7, 1)},
		"another before it":  {ports(7, 1), ports(8, 1)},
		"another behind it":  {ports(8, 1), ports(7, 1)},
		"twice":              {ports(8, 1), ports(8, 2)},
		"twice and the same": {ports(8, 1), ports(8, 1)},
	} {
		p, dial := newPeer(t)
		s := p.greeted(dial, ofconn.Config{})
		p.play(func() {
			p.write(part(p.recv(), 0, describe(t, answer...)))
			p.write(part(p.recv(), 0, describe(t, ports(8, 1))))
		})
		_, _, err := s.GroupDesc(t.Context(), 8)
		require.ErrorIs(t, err, ofconn.ErrProtocol, name)
		require.ErrorContains(t, err, "describe group 8", name)
		require.NotErrorIs(t, err, ofgroup.ErrDisconnected, name)
		_, ok, err := s.GroupDesc(t.Context(), 8)
		require.NoError(t, err, name)
		require.True(t, ok, name)
	}
}

// OpenFlow 1.3 has no words for one group: the answer is about all of them.
func TestOtherGroupsAreNoErrorInOpenFlow13ButTheSameOneTwiceIs(t *testing.T) {
	p, dial := newPeer(t)
	p.play(func() {
		p.recv()
		p.send(switchHello10And13)
		for _, answer := range [][]ofgroup.Group{
			{ports(7, 1), ports(8, 1), ports(7, 2)}, {ports(7, 1)}, {ports(8, 1), ports(7, 1), ports(8, 2)},
		} {
			m := part(p.recv(), 0, describe13(t, answer...))
			m[0] = 4
			p.write(m)
		}
	})
	s := open(t, dial, ofgroup.OpenFlow13)
	g, ok, err := s.GroupDesc(t.Context(), 8)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, ofgroup.ID(8), g.ID())
	_, ok, err = s.GroupDesc(t.Context(), 8)
	require.NoError(t, err)
	require.False(t, ok)
	_, _, err = s.GroupDesc(t.Context(), 8)
	require.ErrorIs(t, err, ofconn.ErrProtocol)
	require.NoError(t, s.Err())
}

func TestARefusedDescriptionIsASwitchError(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	p.play(func() { p.write(reply(1, p.recv(), 0, 1, 0, 2)) }) // OFPBRC_BAD_MULTIPART
	_, _, err := s.GroupDesc(t.Context(), 8)
	require.ErrorAs(t, err, new(*ofgroup.SwitchError))
	require.ErrorContains(t, err, "describe group 8")
}

// A reserved number would ask for every group, and a dump of all of them can
// bring the switch down.
func TestAReservedNumberIsNotAskedFor(t *testing.T) {
	p, dial := newPeer(t)
	s := p.greeted(dial, ofconn.Config{})
	for _, id := range []ofgroup.ID{ofgroup.MaxID + 1, ofgroup.AllGroups, ofgroup.AnyGroup} {
		_, _, err := s.GroupDesc(t.Context(), id)
		require.ErrorIs(t, err, ofgroup.ErrReservedID)
		require.ErrorIs(t, err, ofgroup.ErrNotSent)
	}
	require.Zero(t, s.Stats().Sent)
}

func TestOneOfManyGroupsIsFoundOnARealSwitch(t *testing.T) {
	lab := ovslab.New(t, ovslab.Config{})
	for _, v := range []ofgroup.Version{ofgroup.OpenFlow15, ofgroup.OpenFlow13} {
		relay := relayTo(t, lab)
		s := open(t, relay.Dial, v)
		for id := range ofgroup.ID(20) { // 20 groups of 700 buckets are many parts in 1.3
			_, err := ports(id, numbers(1+int(id), 700)...).Commit(t.Context(), s)
			require.NoError(t, err)
		}
		relay.Reset()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		held, ok, err := s.GroupDesc(ctx, 13)
		require.NoError(t, err)
		require.True(t, ok)
		require.True(t, ports(13, numbers(14, 700)...).Equal(held))
		parts := relay.FromSwitch().ByType[19]
		if v == ofgroup.OpenFlow15 {
			require.Equal(t, 1, parts)
		} else {
			require.Greater(t, parts, 1, "all groups, in parts")
		}
	}
}
