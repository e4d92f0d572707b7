package ofconn

import (
	"fmt"
	"strings"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// String is the message as a line for ovs-ofctl add-flows: the command, then
// the flow. Open vSwitch's tool has no words, and refuses the line, for actions
// that package ofgroup keeps as bytes.
func (m FlowMod) String() string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch cookie, mask := m.cookies(); {
	case mask != 0:
		add("cookie=0x%x/0x%x", cookie, mask)
	case cookie != 0:
		add("cookie=0x%x", cookie)
	}
	if m.Table != AllTables || !m.Command.deletes() {
		add("table=%d", m.Table)
	}
	if m.Command != FlowDelete && m.Command != FlowModify {
		add("priority=%d", m.Priority) // the others do not look at it
	}
	if m.IdleTimeout != 0 {
		add("idle_timeout=%d", m.IdleTimeout)
	}
	if m.HardTimeout != 0 {
		add("hard_timeout=%d", m.HardTimeout)
	}
	words = m.Flags.appendWords(words)
	if match := m.Match.String(); match != "" {
		words = append(words, match)
	}
	if !m.Command.deletes() {
		add("actions=%s", ofgroup.ActionsText(m.Actions...))
	}
	return strings.TrimSpace(m.Command.String() + " " + strings.Join(words, ","))
}

// flagWords are ovs-ofctl's words for the flags, from the lowest bit on.
var flagWords = [...]string{"send_flow_rem", "check_overlap", "reset_counts", "no_packet_counts", "no_byte_counts"}

func (f FlowFlags) appendWords(words []string) []string {
	for i, w := range flagWords {
		if f&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return words
}

// String is the flags in ovs-ofctl's words, empty for none.
func (f FlowFlags) String() string {
	words := f.appendWords(nil)
	if rest := f >> len(flagWords) << len(flagWords); rest != 0 {
		words = append(words, fmt.Sprintf("FlowFlags(0x%x)", uint16(rest)))
	}
	return strings.Join(words, ",")
}
