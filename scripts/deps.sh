#!/bin/sh
# Installs the tools that the tests and the demo drive, where that can be done without asking
# (Debian or Ubuntu, as root); elsewhere it names what is missing and lets the tests skip.
set -eu

missing=
need() { # need COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
PATH="$PATH:/usr/sbin:/sbin"
need ovs-vswitchd openvswitch-switch
need ip iproute2
need nsenter util-linux
need ethtool ethtool
need smcrouted smcroute
# A browser is 300 MB for one test: it is installed only where no test may be skipped, and is there already on
# GitHub's runners.
if [ "${CI:-}" = true ] && ! command -v chromium-browser >/dev/null 2>&1 && ! command -v google-chrome >/dev/null 2>&1; then
	need chromium chromium
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing:$missing"
	apt-get -qq update
	# The tests start smcroute in namespaces of their own. As a service it would take this machine's multicast routing.
	[ ! -d /run/systemd/system ] || systemctl --quiet mask smcroute.service smcroute-helper.service
	# shellcheck disable=SC2086 # the list is meant to be split
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null
else
	echo "missing, tests that need them will be skipped:$missing" >&2
fi
