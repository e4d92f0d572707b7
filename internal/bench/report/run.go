package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// job is one package's benchmarks.
type job struct {
	dir, pkg string
	args     []string
}

// jobs are all that the table needs, run in this directory. The agent's are of another module, and count their joins
// themselves.
func jobs(benchtime string) []job {
	var all []job
	for _, pkg := range []string{"./group", "./igmp", "./cache", "./routes", "./table"} {
		all = append(all, job{".", pkg, []string{"-bench", ".", "-benchtime", benchtime}})
	}
	return append(all, job{"../../examples", "./agent", []string{"-bench", "JoinToFirstPacket|Storm", "-benchtime", "1x"}})
}

// run runs them one after the other, and returns all that they printed. One that fails is said at once, and the others
// are run nevertheless.
func run(all []job, progress io.Writer) (output string, err error) {
	var out bytes.Buffer
	for _, j := range all {
		began := time.Now()
		failed := j.run(&out, progress)
		err = errors.Join(err, failed)
		fmt.Fprintf(progress, "%-9s %.0f s\n", j.pkg, time.Since(began).Seconds())
	}
	return out.String(), err
}

func (j job) run(out *bytes.Buffer, progress io.Writer) error {
	args := append([]string{"test", "-run", "^$", "-v", "-timeout", "5m"}, j.args...)
	cmd := exec.Command("go", append(args, j.pkg)...)
	cmd.Dir = j.dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var mine bytes.Buffer
	cmd.Stdout, cmd.Stderr = &mine, progress
	err := cmd.Run()
	out.Write(mine.Bytes())
	if err != nil {
		_, _ = mine.WriteTo(progress)
		return fmt.Errorf("%s: %w", j.pkg, err)
	}
	return nil
}
