package mroute

import (
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestCounterStructuresHaveTheSizeOfTheKernelsWord(t *testing.T) {
	sizes := map[int][2]uintptr{32: {20, 20}, 64: {32, 40}}
	require.Equal(t, sizes[strconv.IntSize], [2]uintptr{unsafe.Sizeof(sgReq{}), unsafe.Sizeof(vifReq{})})
}
