package statefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Read reads the file at path into body, a pointer. Without a file the error is fs.ErrNotExist; what
// is no plain file is not opened for long, and of a plain one no more than MaxSize is read.
func (k Kind) Read(path string, body any) error {
	text, err := read(path)
	if err == nil {
		err = k.Unmarshal(text, body)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // to open a pipe would wait for its writer
		return nil, fmt.Errorf("%w: no plain file", ErrForeign)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, MaxSize)
	}
	return text, err
}

// Write puts the file at path, in place of one that is there, and makes its directory if there is
// none. After an error the old file is as it was. Nobody else may write the same file.
func (k Kind) Write(path string, body any) error {
	text, err := k.Marshal(body)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = replace(path, text)
	}
	if err != nil {
		return fmt.Errorf("state file %s: %w", path, err)
	}
	return nil
}

// replace writes beside the file and then renames, so that at every moment the one or the other is
// there. What an earlier process was about to write goes.
func replace(path string, text []byte) error {
	beside := path + ".new"
	if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return nil
}
