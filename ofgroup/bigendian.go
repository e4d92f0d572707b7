package ofgroup

// These read numbers at the start of bytes or of a string, where encoding/binary reads bytes only: what is
// decoded is kept in strings.

func be16[B string | []byte](s B) uint16 { return uint16(s[1]) | uint16(s[0])<<8 }

func be32[B string | []byte](s B) uint32 {
	return uint32(s[3]) | uint32(s[2])<<8 | uint32(s[1])<<16 | uint32(s[0])<<24
}

func be64[B string | []byte](s B) uint64 {
	return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 |
		uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
}
