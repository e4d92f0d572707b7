package ofconn_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
	"github.com/ofmcast/ofmcast/ofgroup/ofgrouptest"
)

// Types of messages that the tests look for, beside those of other tests.
const (
	typeExperimenter = 4
	typeSetConfig    = 9
	typeRoleRequest  = 24
	typeSetAsync     = 28
)

// front is an in-process switch, asked what each of its connections heard. It
// works inside a synctest bubble.
type front struct{ *ofgrouptest.Switch }

func newFront(t testing.TB) *front {
	f := &front{ofgrouptest.NewSwitch(ofgrouptest.SwitchConfig{})}
	t.Cleanup(func() { f.Close() })
	return f
}

// dials is how many connections said hello.
func (f *front) dials() int { return len(f.Log(ofgrouptest.MsgHello)) }

// heard is what the n-th connection said, from 1, of some types or of all but
// echoes.
func (f *front) heard(n int, types ...ofgrouptest.MessageType) [][]byte {
	var all [][]byte
	for _, m := range f.Log(types...) {
		if m.Conn == n {
			all = append(all, m.Message)
		}
	}
	return all
}

// refuseAll has every message of a type be refused with an error type and code.
func (f *front) refuseAll(on ofgrouptest.MessageType, errorType, code uint16) {
	f.Inject(ofgrouptest.Fault{On: on, Times: always, Refuse: &ofgrouptest.Refusal{Type: errorType, Code: code}})
}

// holds gives the switch a generation, as an earlier controller would have.
func (f *front) holds(t testing.TB, generation uint64) {
	s, err := ofconn.Open(t.Context(), ofconn.Config{Dial: f.Dial})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Role(t.Context(), ofconn.RoleRequest{Role: ofconn.RoleMaster, Generation: generation})
	require.NoError(t, err)
}

// stubborn refuses the next n requests for a role as stale. Each comes behind a
// question, which is answered.
func (f *front) stubborn(n int) {
	for i := range n {
		f.Inject(ofgrouptest.Fault{
			On: ofgrouptest.MsgRoleRequest, Skip: i + 1, Refuse: &ofgrouptest.Refusal{Type: 11, Code: 0},
		})
	}
}

// outOfGroups is OFPGMFC_OUT_OF_GROUPS.
var outOfGroups = ofgrouptest.Refusal{Type: 6, Code: 3}

// text is messages in hex, to be compared, with transaction IDs set to nothing.
func text(messages [][]byte) []string {
	var all []string
	for _, m := range messages {
		m = bytes.Clone(m)
		copy(m[4:8], "\x00\x00\x00\x00")
		all = append(all, hex.EncodeToString(m))
	}
	return all
}
