package ofconn

import (
	"fmt"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// GroupMod is a GROUP_MOD as a Message, to be bundled with others. Alone it is sent by
// Send.
type GroupMod struct{ Mod *ofgroup.Mod }

// AppendMessage appends the message; see Message. A Mod is of one version; in another
// one it is ofgroup.ErrVersion.
func (m GroupMod) AppendMessage(b []byte, v ofgroup.Version) ([]byte, error) {
	switch {
	case m.Mod == nil:
		return b, ErrNoMessage
	case m.Mod.Version() != v:
		return b, fmt.Errorf("ofconn: group-mod of %v: %w: %v", m.Mod.Version(), ofgroup.ErrVersion, v)
	}
	start := len(b)
	b, err := m.Mod.AppendBinary(b)
	if err != nil {
		return b[:start], err
	}
	openflow.PutXID(b[start:], 0) // a decoded one brings its own
	return b, nil
}

// String is the message as a line for ovs-ofctl.
func (m GroupMod) String() string {
	if m.Mod == nil {
		return ErrNoMessage.Error()
	}
	return m.Mod.String()
}
