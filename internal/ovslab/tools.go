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

// findTools looks in PATH and in the directories for system administration,
// which are not in an ordinary user's PATH.
func findTools() (tools, error) {
	var t tools
	for name, path := range map[string]*string{
		"ovsdb-tool": &t.dbTool, "ovsdb-server": &t.dbServer, "ovs-vswitchd": &t.vswitchd,
		"ovs-vsctl": &t.vsctl, "ovs-ofctl": &t.ofctl, "ovs-appctl": &t.appctl,
	} {
		found, err := findProgram(name)
		if err != nil {
			return tools{}, err
		}
		*path = found
	}
	schema, err := findSchema()
	t.schema = schema
	return t, err
}

func findProgram(name string) (string, error) {
	for _, candidate := range []string{name, "/usr/sbin/" + name, "/usr/local/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("%w: no %s", ErrNotInstalled, name)
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
