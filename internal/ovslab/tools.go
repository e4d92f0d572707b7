package ovslab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNotInstalled is wrapped by the error of Start when a program or the
// database schema of Open vSwitch is missing on this machine.
var ErrNotInstalled = errors.New("this machine has no Open vSwitch")

// tools are the absolute paths of what a lab runs.
type tools struct {
	dbTool, dbServer, vswitchd   string
	vsctl, ofctl, appctl, schema string
}

func findTools() (tools, error) {
	var t tools
	for name, path := range map[string]*string{
		"ovsdb-tool": &t.dbTool, "ovsdb-server": &t.dbServer, "ovs-vswitchd": &t.vswitchd,
		"ovs-vsctl": &t.vsctl, "ovs-ofctl": &t.ofctl, "ovs-appctl": &t.appctl,
	} {
		found, ok := findProgram(name)
		if !ok {
			return tools{}, fmt.Errorf("%w: no %s", ErrNotInstalled, name)
		}
		*path = found
	}
	schema, err := findSchema()
	t.schema = schema
	return t, err
}

// findProgram looks in PATH and in the directories for system administration,
// which are not in an ordinary user's PATH, and returns an absolute path.
func findProgram(name string) (string, bool) {
	for _, candidate := range []string{name, "/usr/sbin/" + name, "/usr/local/sbin/" + name} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err == nil {
			return path, true
		}
	}
	return "", false
}

func findSchema() (string, error) {
	for _, dir := range []string{os.Getenv("OVS_PKGDATADIR"), "/usr/share/openvswitch", "/usr/local/share/openvswitch"} {
		path := filepath.Join(dir, "vswitch.ovsschema")
		if _, err := os.Stat(path); err == nil && dir != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: no vswitch.ovsschema", ErrNotInstalled)
}
