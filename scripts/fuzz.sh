#!/bin/sh
# Runs each fuzz target of the tree for FUZZTIME, one after the other, in whatever module it is.
set -eu
cd "$(dirname "$0")/.."
: "${GO:=go}" "${FUZZTIME:=5s}"
export GOWORK=off # not every module is in the workspace
git grep -lE '^func Fuzz' -- '*_test.go' | while read -r file; do
	dir=$(dirname "$file")
	sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "fuzz $dir $target"
		(cd "$dir" && $GO test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 5x .) || exit 1
	done || exit 1
done
