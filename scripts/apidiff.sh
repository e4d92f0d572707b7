#!/bin/sh
# Prints, as Markdown, what this tree does to the exported names of the packages that the commit $1 has.
set -eu
work=$(mktemp -d)
trap 'git worktree remove --force "$work/base"; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/base" "$1"

apidiff="go run golang.org/x/exp/cmd/apidiff@v0.0.0-20261113113407-e3970619a1a4"
export GOWORK=off
for pkg in $(cd "$work/base" && go list ./... | grep -v /internal); do
	if ! go list "$pkg" >/dev/null 2>&1; then
		printf '### %s\n\nis gone\n\n' "$pkg"
		continue
	fi
	(cd "$work/base" && $apidiff -w "$work/old" "$pkg")
	$apidiff -w "$work/new" "$pkg"
	diff=$($apidiff "$work/old" "$work/new")
	[ -z "$diff" ] || printf '### %s\n\n```\n%s\n```\n\n' "$pkg" "$diff"
done
