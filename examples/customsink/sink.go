package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ofmcast/ofmcast/igmp/snooper"
	"github.com/ofmcast/ofmcast/mcast"
)

// fileSink keeps a file for each group that has receivers: its name is the group, its lines are the
// receivers and what each of them wants. This is all that a sink of your own has to do.
type fileSink struct{ dir string }

// Sync makes the file of one group say what s says. The cache calls it with the newest state, and
// again after an error, so it must not matter how often it runs or what it left behind last time.
func (k fileSink) Sync(_ context.Context, s mcast.State[snooper.Host]) error {
	name := filepath.Join(k.dir, s.Group().String())
	if s.Len() == 0 { // the last receiver has gone
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	var lines strings.Builder
	for host, filter := range s.All() {
		lines.WriteString(host.Addr.String() + " " + host.MAC.String() + " " + filter.String() + "\n")
	}
	// Written beside it and renamed, so that a reader never sees half a file.
	if err := os.WriteFile(name+".new", []byte(lines.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
