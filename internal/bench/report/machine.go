package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// machine are the facts that stand above the table, as lines "key: value". cpu is what the benchmarks say of it.
func machine(now time.Time, load, cpu string) string {
	return fmt.Sprintf("date: %s\nmachine: %d × %s, %s, load %s when it began\nversions: %s\n",
		now.UTC().Format("2006-01-02 15:04 MST"), runtime.NumCPU(), cpu, said("uname", "-sr"), load, strings.Join(versions(), ", "))
}

// load is how many wanted a processor in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)

// versions are those of what was measured.
func versions() []string {
	all := []string{strings.Replace(runtime.Version(), "go", "Go ", 1)}
	for _, tool := range [][]string{{"Open vSwitch", "ovs-vswitchd", "--version"}, {"smcroute", "smcrouted", "-v"}} {
		v := number.FindString(said(tool[1], tool[2:]...))
		if v == "" {
			v = "is not here"
		}
		all = append(all, tool[0]+" "+v)
	}
	for _, module := range [][2]string{{"gopacket", "github.com/gopacket/gopacket"}, {"client-go", "k8s.io/client-go"}} {
		all = append(all, module[0]+" "+said("go", "list", "-m", "-f", "{{.Version}}", module[1]))
	}
	return all
}

// said is the first line that a command prints, or nothing. Daemons are where users' shells may not look.
func said(name string, args ...string) string {
	if _, err := exec.LookPath(name); err != nil {
		name = "/usr/sbin/" + name
	}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(first)
}
