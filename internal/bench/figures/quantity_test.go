package figures

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresAreShownInFewDigits(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{52.2, "ns-ours", "52.2 ns"}, {5.534, "ns-floor", "5.53 ns"}, {1596, "ns-decode", "1.6 µs"}, {999.6, "ns-x", "1 µs"},
		{6.3, "us/bare", "6.3 µs"}, {2289, "µs-floor", "2.29 ms"}, {46836, "ms-usual", "46.8 s"}, {4000, "s-load", "4,000 s"},
		{16844, "bytes/whole", "16,844 B"}, {147.8, "B/membership-without-sink", "148 B"}, {0.007733, "%-core-silent", "0.00773 %"},
		{3959282, "frames/s", "3.96 M/s"}, {106896, "frames/s", "107 k/s"}, {0.00001, "%-x", "0.00001 %"},
		{19, "GROUP_MODs/group", "19"}, {12345678, "unconfirmed", "12,345,678"}, {-1234, "x", "-1,234"}, {-123456, "x", "-123,456"},
		{0, "allocs-ours", "0"}, {0, "ns-ours", "0 ns"},
	} {
		require.Equal(t, c.want, In(c.unit, c.value).String(), "%v %s", c.value, c.unit)
	}
}
