package ofgrouptest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
)

func TestEchoIsAnsweredWithItsOwnNumberAndPayload(t *testing.T) {
	c := dial(t, newSwitch(t))
	c.send(unhex(t, "0602000c0000002adeadbeef"))
	require.Equal(t, unhex(t, "0603000c0000002adeadbeef"), c.receive())
}

func TestHelloDecidesTheVersion(t *testing.T) {
	for name, test := range map[string]struct {
		hello string
		ok    bool
	}{
		"1.5 alone, by bitmap":      {"06000010000000010001000800000040", true},
		"1.3 and 1.5, by bitmap":    {"06000010000000010001000800000050", true},
		"up to 1.5, by header":      {"0600000800000001", true},
		"up to a later one":         {"0900000800000001", true},
		"1.3 alone, by bitmap":      {"04000010000000010001000800000010", false},
		"up to 1.3, by header":      {"0400000800000001", false},
		"1.4 in the bitmap of 1.5":  {"06000010000000010001000800000020", false},
		"unknown element, then 1.5": {"06000018000000010002000800000000" + "0001000800000040", true},
		"broken element, header":    {"060000100000000100010003" + "00000020", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := rawClient(t, newSwitch(t))
			c.send(unhex(t, test.hello))
			if test.ok {
				c.send(barrier(7))
				require.Equal(t, message(openflow.Version15, openflow.TypeBarrierReply, 7, nil), c.receive())
				return
			}
			refusal := c.receive()
			require.EqualValues(t, openflow.TypeError, refusal[1])
			require.Equal(t, []byte{0, 0, 0, 0}, refusal[8:12], "OFPHFC_INCOMPATIBLE")
			c.requireEnd()
		})
	}
}

// rawClient is connected and has read the switch's hello, but sent none.
func rawClient(tb testing.TB, sw *Switch) *client {
	tb.Helper()
	nc, err := sw.Dial(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = nc.Close() })
	c := &client{tb: tb, nc: nc}
	require.Equal(tb, switchHello(), c.receive())
	return c
}

func (c *client) requireEnd() {
	c.tb.Helper()
	_, err := readMessage(c.nc)
	require.ErrorIs(c.tb, err, io.EOF)
}

func TestOtherThanAHelloAtFirstEndsTheConnection(t *testing.T) {
	c := rawClient(t, newSwitch(t))
	c.send(barrier(1))
	c.requireEnd()
}

func TestLengthBelowTheHeaderEndsTheConnection(t *testing.T) {
	sw := newSwitch(t)
	for n := range openflow.HeaderLen {
		c := dial(t, sw)
		c.send([]byte{openflow.Version15, openflow.TypeEchoRequest, 0, byte(n), 0, 0, 0, 1})
		c.requireEnd()
	}
}

func TestWhatIsNotKnownIsRefusedAndQuotedWhole(t *testing.T) {
	request := func(version, kind uint8, n int) []byte { return message(version, kind, 9, make([]byte, n)) }
	multipart := request(openflow.Version15, openflow.TypeMultipartRequest, 8)
	binary.BigEndian.PutUint16(multipart[8:], 999)
	for name, test := range map[string]struct {
		request []byte
		want    verdict
	}{
		"message type":           {request(openflow.Version15, 99, 40), badType},
		"second hello":           {request(openflow.Version15, openflow.TypeHello, 0), badType},
		"other version":          {request(openflow.Version13, openflow.TypeGroupMod, 8), badVersion},
		"multipart type":         {multipart, badMultipart},
		"multipart cut":          {request(openflow.Version15, openflow.TypeMultipartRequest, 4), badLen},
		"barrier with a body":    {request(openflow.Version15, openflow.TypeBarrierRequest, 8), badLen},
		"description without ID": {descRequest(1)[:16], badLen},
		"largest message":        {request(openflow.Version15, 99, openflow.MaxLen-openflow.HeaderLen), badType},
	} {
		t.Run(name, func(t *testing.T) {
			if len(test.request) == openflow.MultipartHeaderLen {
				binary.BigEndian.PutUint16(test.request[2:], openflow.MultipartHeaderLen)
			}
			c := dial(t, newSwitch(t))
			c.send(test.request)
			got := c.receive()
			require.Equal(t, test.request[0], got[0], "answered in the request's version")
			require.Equal(t, *test.want.refusal(), Refusal{be.Uint16(got[8:]), be.Uint16(got[10:])})
			quote := got[12:]
			require.Equal(t, test.request[:len(quote)], quote)
			require.Equal(t, min(len(test.request), openflow.MaxLen-12), len(quote))
		})
	}
}

func TestFeaturesAreThoseOfASwitchWithGroupStatistics(t *testing.T) {
	c := dial(t, newSwitch(t))
	c.send(message(openflow.Version15, openflow.TypeFeaturesRequest, 3, nil))
	reply := c.receive()
	require.Len(t, reply, 32)
	require.EqualValues(t, openflow.TypeFeaturesReply, reply[1])
	require.EqualValues(t, 3, xidOf(reply))
}

func TestManyConnectionsShareTheGroups(t *testing.T) {
	sw := newSwitch(t)
	const conns, groups = 16, 50
	var all sync.WaitGroup
	for i := range conns {
		c := dial(t, sw)
		all.Go(func() {
			for n := range groups {
				if r := c.verdict(groupModMessage(cmdAdd, typeAll, uint32(i*groups+n), 1, 2)); r != nil {
					t.Errorf("refused: %v", *r)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, conns*groups, sw.GroupMods())
	held, err := sw.Groups()
	require.NoError(t, err)
	require.Len(t, held, conns*groups)
}

func TestCloseEndsEveryConnectionAndDialFailsAfterIt(t *testing.T) {
	sw := NewSwitch(SwitchConfig{})
	c := dial(t, sw)
	require.Equal(t, 1, sw.Conns())
	require.NoError(t, sw.Close())
	require.NoError(t, sw.Close())
	c.requireEnd()
	require.Zero(t, sw.Conns())
	_, err := sw.Dial(t.Context())
	require.ErrorIs(t, err, net.ErrClosed)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = newSwitch(t).Dial(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestADisconnectedSwitchKeepsItsGroups(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
	sw.Disconnect()
	c.requireEnd()
	require.NotEmpty(t, dial(t, sw).describe(7))
}

func TestAControllerThatDoesNotReadHoldsUpNobodyElse(t *testing.T) {
	sw := newSwitch(t)
	deaf := rawClient(t, sw)
	deaf.send(switchHello())
	for i := range 4 { // the first reply blocks the writer, the rest wait
		deaf.send(barrier(uint32(i)))
	}
	require.Nil(t, dial(t, sw).verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
}

// A group grown by INSERT_BUCKET past what a description can say comes back with wrapped
// lengths, as from the real switch: readers must see that, not a clean error.
func TestADescriptionTooLongWrapsItsLength(t *testing.T) {
	sw := newSwitch(t)
	c := dial(t, sw)
	ports := make([]uint32, 2700)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, ports...)))
	insert := groupModMessage(cmdInsert, typeAll, 7, ports[:100]...)
	be.PutUint32(insert[20:], bucketLast)
	for i := range 100 {
		be.PutUint32(insert[groupModLen+24*i+4:], uint32(5000+i))
	}
	require.Nil(t, c.verdict(insert))
	c.send(descRequest(7))
	first := c.receive()
	require.EqualValues(t, openflow.MultipartMore, be.Uint16(first[10:]))
	require.Len(t, first, openflow.MultipartHeaderLen)
	var header [openflow.HeaderLen]byte
	_, err := io.ReadFull(c.nc, header[:])
	require.NoError(t, err)
	require.EqualValues(t, (16+16+24*2800)&openflow.MaxLen, be.Uint16(header[2:]))
	_, err = sw.Groups()
	require.Error(t, err)
}

func TestGroupsOverTheLimitAreRefusedAndChangeNothing(t *testing.T) {
	sw := NewSwitch(SwitchConfig{MaxBytes: 200})
	defer sw.Close()
	c := dial(t, sw)
	require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 1, 1, 2, 3)))
	require.Equal(t, outOfGroups.refusal(), c.verdict(groupModMessage(cmdAdd, typeAll, 2, 1, 2, 3, 4, 5)))
	require.Equal(t, outOfGroups.refusal(), c.verdict(groupModMessage(cmdModify, typeAll, 1, 1, 2, 3, 4, 5, 6, 7, 8)))
	insert := groupModMessage(cmdInsert, typeAll, 1, 1, 2, 3, 4, 5)
	be.PutUint32(insert[20:], bucketFirst)
	for i := range 5 {
		be.PutUint32(insert[groupModLen+24*i+4:], uint32(50+i))
	}
	require.Equal(t, outOfBuckets.refusal(), c.verdict(insert))
	for range 3 { // what is deleted, whole or in part, makes room again
		require.Nil(t, c.verdict(groupModMessage(cmdDelete, typeAll, 1)))
		require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 2, 1, 2, 3, 4, 5)))
		require.Nil(t, c.verdict(groupModMessage(cmdRemove, typeAll, 2)))
		require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 1, 1, 2, 3)))
		require.Nil(t, c.verdict(deleteAll()))
		require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 1, 1, 2, 3)))
	}
}

func TestAnInsertOfNothingAtTheEndHangsTheSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sw := newSwitch(t)
		c, other := dial(t, sw), dial(t, sw)
		require.Nil(t, c.verdict(groupModMessage(cmdAdd, typeAll, 7, 1)))
		insert := groupModMessage(cmdInsert, typeAll, 7)
		be.PutUint32(insert[20:], bucketLast)
		c.send(append(insert, barrier(1)...))
		synctest.Wait()
		other.send(barrier(2))
		synctest.Wait() // long enough for an answer, which would now be in the way
		sw.Disconnect()
		c.requireEnd()
		other.requireEnd()
	})
}

func TestServeWorksBehindAListener(t *testing.T) {
	sw := newSwitch(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	served := make(chan error, 1)
	go func() {
		nc, err := l.Accept()
		if err == nil {
			err = sw.Serve(nc)
		}
		served <- err
	}()
	nc, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer nc.Close()
	require.NoError(t, <-served)
	c := &client{tb: t, nc: nc}
	require.Equal(t, switchHello(), c.receive())
	c.send(append(switchHello(), groupModMessage(cmdAdd, typeAll, 7, 1)...))
	c.send(barrier(1))
	require.EqualValues(t, openflow.TypeBarrierReply, c.receive()[1])
	require.Equal(t, 1, sw.GroupMods())
}

func TestMessagesWithoutAnAnswerAreNotReadAsNothing(t *testing.T) {
	c := dial(t, newSwitch(t))
	go func() {
		for range 200 {
			_, _ = c.nc.Write(groupModMessage(cmdAddOrMod, typeAll, 7, 1))
		}
		_, _ = c.nc.Write(barrier(1))
	}()
	buf := make([]byte, 100)
	n, err := c.nc.Read(buf)
	require.NoError(t, err)
	require.EqualValues(t, openflow.HeaderLen, n)
}
