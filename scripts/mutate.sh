#!/bin/sh
# Puts each seeded fault into a copy of package mcast, never into this tree, and says whether the
# random histories of mcast/internal/modeltest find it. Fails when one is not found, or cannot be put in.
# With an argument only those faults whose names begin with it: scripts/mutate.sh 07
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}" "${CHECKS:=400}"
mutants=$PWD/mcast/internal/modeltest/mutants
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM
cp -R go.mod go.sum mcast "$copy" # mcast imports nothing else of the module
cd "$copy"
export GOWORK=off

build() { $GO test -c -o model.test ./mcast/internal/modeltest; }
play() { # no time is spent on making the history short
	./model.test -test.run Histories -rapid.nofailfile -rapid.shrinktime=1ns -rapid.checks="$CHECKS" >log 2>&1
}

build
play || { cat log; echo "without any fault the histories fail already"; exit 1; }
bad=0
for patch in "$mutants/${1:-}"*.patch; do
	name=$(basename "$patch" .patch)
	if ! git apply "$patch"; then
		verdict="DOES NOT APPLY"
	elif ! build; then
		verdict="DOES NOT BUILD"
	elif play; then
		verdict="NOT CAUGHT"
	else
		verdict=caught
	fi
	printf '%-16s%s\n' "$verdict" "$name"
	if [ "$verdict" = caught ]; then
		sed -n 's/.*FAULT: /                /p' log | head -n 1 | cut -c1-150 # as the histories saw it
	else
		bad=1
	fi
	rm -rf mcast
	cp -R "${mutants%/internal/*}" mcast
done
exit $bad
