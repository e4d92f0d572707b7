package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/examples/agent/config"
)

func TestWhatCannotBeReadIsFoundOnItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"bridge: br0\nuplink\ngateway: gw0\n":                                                     "f:2: syntax: could not find expected ':'",
		"bridge: br0\n   gateway: gw0\nv: true\n":                                                 "f:2: syntax: mapping values",
		"bridge: br0\nhttp: \"abc\nv: true\nw: 1\n":                                               "f:2: syntax: found unexpected end of stream",
		"policy:\n  rules:\n    - allow: {}\n    - deny: {group: 239.1.1.1\n  rest: deny\nv: 1\n": "f:4: syntax: did not find expected ',' or '}'",
		"policy:\n  rules:\n    - allow: {}\n   - deny: {}\n":                                     "f:4: syntax: did not find expected key",
		"bridge: br0\npeers: @/etc/peers\nv: true\n":                                              "f:2: syntax: found character that cannot start",
		"uplink:\n  - a\n  - [b\nv: true\nw: 1\n":                                                 "f:3: syntax: did not find expected ',' or ']'",
		"bridge: br0\nhttp: \xe9\nv: true\n":                                                      "f:2: syntax: invalid trailing UTF-8",
		"]\n":                                                                                     "f:1: syntax: did not find expected node content",
		"{\n\"bridge\":\"br0\",\n\"http\" \":9\"\n}\n":                                            "f:3: syntax: invalid character",
		"{\n\"bridge\":\"br0\",,\n\"v\":true}\n":                                                  "f:2: syntax: invalid character",
		"{\n\"bridge\":\"br0\"\n\"v\":true\n}\n":                                                  "f:3: syntax: invalid character",
		"{\n\"bridge\":\"br0\",\n\"v\":true\n":                                                    "f:3: syntax: unexpected end of JSON input",
	} {
		_, err := config.Parse("f", []byte(text))
		require.ErrorIs(t, err, config.ErrSyntax, text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestALargeFileIsNotReadAgainForLong(t *testing.T) {
	rule := "    - deny: {group: 239.1.1.1}\n"
	large := "policy:\n  rules:\n" + strings.Repeat(rule, 10000)
	_, err := config.Parse("f", []byte(large+"   - deny: {}\n"))
	require.ErrorIs(t, err, config.ErrSyntax)
	require.ErrorContains(t, err, "f: syntax: yaml: line", "as far as the YAML package knows")
}
