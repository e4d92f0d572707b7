package igmp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// render is a message in a line, for the table of odd frames.
func render(v *View) string {
	switch v.Type {
	case TypeQuery:
		s := fmt.Sprintf("v%d query %v max %v", v.Version, v.Group, v.MaxResp)
		if v.Version < 3 {
			return s
		}
		if v.SuppressRouter {
			s += " S"
		}
		return fmt.Sprintf("%s QRV %d QQI %v %s", s, v.QRV, v.QQI, renderList(addrStrings(v.Sources())))
	case TypeReportV1, TypeReportV2, TypeLeave:
		return fmt.Sprintf("%v %v", v.Type, v.Group)
	case TypeReportV3:
		var records []string
		for r := range v.Records() {
			s := fmt.Sprintf("%v %v %s", r.Type, r.Group, renderList(addrStrings(r.Sources())))
			if r.AuxWords > 0 {
				s += fmt.Sprintf(" aux %d", r.AuxWords)
			}
			records = append(records, s)
		}
		return "v3 report " + renderList(records)
	}
	return fmt.Sprintf("%v %x", v.Type, v.Payload()[minMessage:])
}

// renderList shows up to six, or the ends of a longer list.
func renderList(list []string) string {
	if len(list) > 6 {
		return fmt.Sprintf("{%s .. %s: %d}", list[0], list[len(list)-1], len(list))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

func TestOddFramesAreReadOrRefusedByRule(t *testing.T) {
	frames, expected := packets(t, "odd"), dissections(t, "odd")
	require.Len(t, frames, 166)
	require.Len(t, expected, len(frames))
	require.Len(t, oddFrames, len(frames))
	var d Decoder
	for i, odd := range oddFrames {
		t.Run(fmt.Sprintf("%d %s", odd.n, odd.id), func(t *testing.T) {
			require.Equal(t, i+1, odd.n)
			require.NotEmpty(t, odd.rule)
			v, err := d.Frame(frames[i].Data)
			require.Equal(t, odd.err, err)
			value := ""
			if v.Layer == LayerIGMP {
				value = render(v)
			}
			require.Equal(t, odd.value, value)
			requireDifference(t, odd.differs, factsOf(expected[i]), factsSeen(t, v))
		})
	}
}

// requireDifference asks that two sets of facts differ in the fields named before the colon, and in no other.
func requireDifference(t *testing.T, differs string, theirs, ours facts) {
	t.Helper()
	named, _, _ := strings.Cut(differs, ":")
	for _, field := range strings.Fields(named) {
		a, b := reflect.ValueOf(&theirs).Elem().FieldByName(field), reflect.ValueOf(&ours).Elem().FieldByName(field)
		require.NotEqual(t, a.Interface(), b.Interface(), "%s is the same", field)
		a.SetZero()
		b.SetZero()
	}
	require.Empty(t, diffFacts(theirs, ours))
}
