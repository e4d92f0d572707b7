package statefile_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/statefile"
)

var kind = statefile.Kind{Format: "test", Version: 3}

// known is what a program might know.
type known struct {
	Name  string         `json:"name"`
	Ports map[int]string `json:"ports"`
}

var some = known{Name: "br0 <&> é", Ports: map[int]string{1: "a", 2: "b"}}

func TestWhatIsWrittenIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "state")
	var got known
	require.ErrorIs(t, kind.Read(path, &got), fs.ErrNotExist)
	require.NoError(t, kind.Write(path, known{Name: "earlier"}))
	require.NoError(t, os.WriteFile(path+".new", []byte("of one that was killed"), 0o600))
	require.NoError(t, kind.Write(path, some))
	require.NoError(t, kind.Read(path, &got))
	require.Equal(t, some, got)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside it")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}

// The sum is what a bitwise CRC-32C (RFC 3720, B.4) in another language says of "123456789" with its
// quotation marks.
func TestTheFormIsStated(t *testing.T) {
	text, err := kind.Marshal("123456789")
	require.NoError(t, err)
	require.Equal(t, `{"format":"test","version":3,"crc32c":"db9cc654","body":"123456789"}`+"\n", string(text))
}

func TestEverySingleChangeIsFound(t *testing.T) {
	text, err := kind.Marshal(some)
	require.NoError(t, err)
	for n := range len(text) - 1 { // without the newline it is whole
		var got known
		require.ErrorIs(t, kind.Unmarshal(text[:n], &got), statefile.ErrDamaged, n)
		changed := append([]byte(nil), text...)
		changed[n] ^= 1
		if err := kind.Unmarshal(changed, &got); err == nil {
			require.Equal(t, some, got, "no harm was done at %d", n)
		}
	}
}

func TestFilesOfOthersAreToldApart(t *testing.T) {
	text, err := kind.Marshal(some)
	require.NoError(t, err)
	var got known
	for name, other := range map[string]statefile.Kind{"version": {Format: "test", Version: 4}, "format": {Format: "tset", Version: 3}} {
		require.ErrorIs(t, other.Unmarshal(text, &got), statefile.ErrForeign, name)
	}
	var shape struct{ Name int }
	require.ErrorIs(t, kind.Unmarshal(text, &shape), statefile.ErrDamaged, "a body of another shape")

	dir := t.TempDir()
	require.ErrorIs(t, kind.Read(dir, &got), statefile.ErrForeign)
	require.ErrorContains(t, kind.Read(dir, &got), dir)
	require.ErrorIs(t, kind.Write(dir, some), fs.ErrExist, "nor is it replaced")
}

func TestWhatIsTooLargeIsNeitherReadNorWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	require.NoError(t, kind.Write(path, some))
	large := known{Name: strings.Repeat("x", statefile.MaxSize)}
	require.ErrorIs(t, kind.Write(path, large), statefile.ErrTooLarge)
	var got known
	require.NoError(t, kind.Read(path, &got), "the old one is still there")

	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Truncate(statefile.MaxSize+1)) // a sparse file
	require.ErrorIs(t, kind.Read(path, &got), statefile.ErrTooLarge)
}

func FuzzUnmarshal(f *testing.F) {
	text, err := kind.Marshal(some)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		var got known
		err := kind.Unmarshal(text, &got)
		if err != nil {
			if !errors.Is(err, statefile.ErrDamaged) && !errors.Is(err, statefile.ErrForeign) {
				t.Fatal(err)
			}
			return
		}
		again, err := kind.Marshal(got)
		if err != nil || !json.Valid(again) {
			t.Fatal(err)
		}
	})
}
