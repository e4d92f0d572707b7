package ofconn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// The memory of a usual message serves the next one. A large group's would be kept for ever by a caller who sends
// one such and then small ones.
func TestOnlyAUsualMessagesMemoryIsKept(t *testing.T) {
	for size, kept := range map[int]bool{keepMessage: true, keepMessage + 1: false} {
		l := newLedger(ofgroup.OpenFlow15, 0)
		c := newCall(make([]byte, size), openflow.TypeBarrierReply)
		require.NoError(t, enqueue(l, c))
		require.Len(t, l.take(nil).bytes, size+openflow.HeaderLen)
		require.Equal(t, kept, c.msg != nil, "%d bytes", size)
	}
}
