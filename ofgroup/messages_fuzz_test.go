package ofgroup_test

import "testing"

// FuzzMessages gives whole messages to every decoder of messages and of bodies.
func FuzzMessages(f *testing.F) {
	for _, kind := range []string{
		"group_stats_reply", "group_features_reply", "group_stats_request", "requestforward", "error", "bundle_ctrl", "bundle_add",
	} {
		for i, v := range vectors(f, kind) {
			if len(v.bytes) < 400 && i%4 == 0 {
				f.Add(v.bytes)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range decoders {
			d.exercise(t, data)
		}
	})
}
