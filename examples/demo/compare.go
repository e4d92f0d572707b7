package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ofmcast/ofmcast/internal/ovslab"
)

// exec runs the program, shows what it prints, and returns that.
func (a act) exec(ctx context.Context, bin string, lab *ovslab.Lab, out io.Writer) (string, error) {
	args := append([]string{"-switch", "unix:" + lab.Mgmt()}, a.args...)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, a.program), args...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if !a.quiet {
		cmd.Stdout = io.MultiWriter(out, &said)
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", a.program, err, &complaints)
	}
	return said.String(), nil
}

// compare checks that the lab's switch holds exactly the groups in lines, each a line for ovs-ofctl
// add-groups. It does not trust our own decoder: a second switch is given the lines by ovs-ofctl, and
// what ovs-ofctl dumps of both must be equal.
func compare(ctx context.Context, lab *ovslab.Lab, lines []string, out io.Writer) error {
	want, err := asOfctlDoesIt(ctx, lines)
	if err != nil {
		return err
	}
	have, err := dump(ctx, lab)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nwe say (=), ovs-ofctl dump-groups says (<)")
	differ := 0
	for _, id := range slices.Sorted(maps.Keys(merge(want, have))) {
		mark := "ok    "
		if want[id] != have[id] {
			mark = "DIFFER"
			differ++
		}
		fmt.Fprintf(out, "%s =  %s\n       <  %s\n", mark, orNone(want[id]), orNone(have[id]))
	}
	if differ > 0 {
		fmt.Fprintf(out, "FAIL: %d groups differ\n", differ)
		return fmt.Errorf("%w: %d groups on the switch are not what we say", errFailed, differ)
	}
	_, err = fmt.Fprintf(out, "PASS: %d groups on the switch, as we say\n", len(have))
	return err
}

// asOfctlDoesIt returns the dump of a fresh switch that ovs-ofctl itself has given the groups.
func asOfctlDoesIt(ctx context.Context, lines []string) (map[string]string, error) {
	lab, err := ovslab.Start(ctx, ovslab.Config{Ports: []string{"p1", "p2", "p3", "p4", "p5"}})
	if err != nil {
		return nil, err
	}
	defer func() { _ = lab.Close() }()
	if _, err := lab.OfctlInput(ctx, strings.Join(lines, "\n"), "add-groups", lab.Mgmt(), "-"); err != nil {
		return nil, err
	}
	return dump(ctx, lab)
}

// dump returns what ovs-ofctl prints of each group, by group ID.
func dump(ctx context.Context, lab *ovslab.Lab) (map[string]string, error) {
	printed, err := lab.Ofctl(ctx, "dump-groups", lab.Mgmt())
	if err != nil {
		return nil, err
	}
	groups := make(map[string]string)
	for _, line := range groupLines(printed) {
		groups[groupID.FindStringSubmatch(line)[1]] = line
	}
	return groups, nil
}

var groupID = regexp.MustCompile(`^group_id=([0-9]+)`)

// groupLines returns the lines that describe a group.
func groupLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); groupID.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func merge(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func orNone(line string) string {
	if line == "" {
		return "(no such group)"
	}
	return line
}
