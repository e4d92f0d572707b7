package ovslab

import (
	"os"
	"os/exec"
	"strconv"
)

// reaperScript ends every program in the network namespace that is its file 3,
// once a line arrives on standard input or standard input ends, and before it
// lets go of the namespace. It holds the namespace open, so the number by which
// programs are compared with it cannot have passed to another one; it is itself
// outside, and so is the process $1 that owns the namespace. A program may have
// started another one while we looked: look again until none is left. A process
// that runs the program $2 may be about to enter: wait for it a little.
const reaperScript = `
read -r _
rounds=0
while [ $rounds -lt 500 ]; do
	again=
	for p in /proc/[0-9]*; do
		if [ "$p/ns/net" -ef /proc/self/fd/3 ] && [ "$p" != "/proc/$1" ]; then
			kill -9 "${p#/proc/}" 2>/dev/null
			again=1
		elif [ $rounds -lt 50 ] && [ "$p/exe" -ef "$2" ]; then
			again=1
		fi
	done
	[ -n "$again" ] || exit 0
	rounds=$((rounds + 1))
	sleep 0.01
done
exit 1
`

// startReaper starts the guard of all programs in the namespace ns, which they
// enter by the program nsenter. The namespace itself needs no guard: it has no
// name, and ends when nobody is in it and nobody holds it open.
func startReaper(ns *os.File, nsenter string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", reaperScript, "ovslab-reaper", strconv.Itoa(os.Getpid()), nsenter)
	cmd.ExtraFiles = []*os.File{ns}
	return watchOver(cmd, "a namespace's programs")
}
