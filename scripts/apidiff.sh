#!/bin/sh
# Prints, as Markdown, what this tree does to the exported names of the packages since the commit $1.
set -eu
base=$(mktemp -d)
trap 'git worktree remove --force "$base"' EXIT
git worktree add --quiet --detach "$base" "$1"

apidiff="go run golang.org/x/exp/cmd/apidiff@v0.0.0-20261113113407-e3970619a1a4"
export GOWORK=off
for pkg in $(go list ./... | grep -v /internal); do
	old=$(mktemp)
	new=$(mktemp)
	rel=.${pkg#github.com/ofmcast/ofmcast}
	(cd "$base" && [ -d "$rel" ] && $apidiff -w "$old" "$pkg") || continue # a new package
	$apidiff -w "$new" "$pkg"
	diff=$($apidiff "$old" "$new")
	[ -z "$diff" ] || printf '### %s\n\n```\n%s\n```\n\n' "$pkg" "$diff"
	rm -f "$old" "$new"
done
