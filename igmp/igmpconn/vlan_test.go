package igmpconn

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// aux is what the kernel says of a frame of 60 bytes.
func aux(status uint32, tci, tpid uint16) []byte {
	b := make([]byte, auxSize)
	binary.NativeEndian.PutUint32(b, status)
	binary.NativeEndian.PutUint32(b[4:], 60)
	binary.NativeEndian.PutUint32(b[8:], 60)
	binary.NativeEndian.PutUint16(b[14:], 14)
	binary.NativeEndian.PutUint16(b[16:], tci)
	binary.NativeEndian.PutUint16(b[18:], tpid)
	return b
}

func TestTagsArePutBack(t *testing.T) {
	frame := []byte("ddddddssssss\x08\x00payload")
	for name, c := range map[string]struct {
		aux  []byte
		want string
	}{
		"none":                      {aux(1, 0, 0), "ddddddssssss\x08\x00payload"},
		"VLAN 10, priority 6":       {aux(1|1<<4|1<<6, 6<<13|10, 0x8100), "ddddddssssss\x81\x00\xc0\x0a\x08\x00payload"},
		"VLAN 0 is a tag too":       {aux(1|1<<4|1<<6, 0, 0x8100), "ddddddssssss\x81\x00\x00\x00\x08\x00payload"},
		"a service tag":             {aux(1|1<<4|1<<6, 100, 0x88a8), "ddddddssssss\x88\xa8\x00\x64\x08\x00payload"},
		"a kernel without the TPID": {aux(1|1<<4, 10, 0), "ddddddssssss\x81\x00\x00\x0a\x08\x00payload"},
		"cut auxiliary data":        {aux(1|1<<4, 10, 0)[:19], "ddddddssssss\x08\x00payload"},
		"no auxiliary data":         {nil, "ddddddssssss\x08\x00payload"},
	} {
		t.Run(name, func(t *testing.T) {
			got := readAux(c.aux).restore(frame)
			require.Equal(t, c.want, string(got))
			got[0] = 'x'
			require.EqualValues(t, 'd', frame[0], "a copy")
		})
	}
}

func TestAFrameTooShortForATagStaysAsItIs(t *testing.T) {
	tagged := readAux(aux(1<<4, 10, 0))
	for n := range macAddrs {
		require.Len(t, tagged.restore(make([]byte, n)), n)
	}
	require.Len(t, tagged.restore(make([]byte, macAddrs)), macAddrs+vlanTag)
}
