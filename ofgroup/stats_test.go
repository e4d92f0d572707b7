package ofgroup_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/ofmcast/ofmcast/ofgroup"
)

func TestRecordedStatisticsAreEncodedToTheSameBytesAndPrintAsOvsOfctlPrintsThem(t *testing.T) {
	groups := 0
	for _, v := range vectors(t, "group_stats_reply") {
		version := Version(v.bytes[0])
		stats, err := ParseGroupStats(version, v.bytes[multipartHeader:])
		require.NoError(t, err, v.Name)
		lines := strings.Split(strings.TrimRight(v.Print, "\n"), "\n")[1:]
		require.Len(t, lines, len(stats), v.Name)
		var again []byte
		for i, s := range stats {
			require.Equal(t, strings.TrimSpace(lines[i]), s.String(), v.Name)
			again, err = AppendGroupStats(again, version, s)
			require.NoError(t, err, v.Name)
		}
		requireBytes(t, v.bytes[multipartHeader:], again, v.Name)
		groups += len(stats)
	}
	require.Greater(t, groups, 20)
}

const someStats = "0038 0000 00000007 00000002 00000000 000000000000000d 0000000000000356 00000001 1dcd6500" +
	"000000000000000c 0000000000000300"

func TestEveryFieldOfStatisticsIsRead(t *testing.T) {
	for _, v := range bothVersions {
		stats, err := ParseGroupStats(v, unhex(t, someStats+"0028 0000 00000008 00000000 00000000"+
			"ffffffffffffffff ffffffffffffffff ffffffff ffffffff"))
		require.NoError(t, err)
		require.Equal(t, []GroupStats{{
			ID: 7, RefCount: 2, Packets: 13, Bytes: 854, Seconds: 1, Nanoseconds: 500_000_000,
			Buckets: []BucketStats{{Packets: 12, Bytes: 768}},
		}, {
			ID: 8, Packets: math.MaxUint64, Bytes: math.MaxUint64, Seconds: math.MaxUint32, Nanoseconds: math.MaxUint32,
		}}, stats)
		require.Equal(t, 1500*time.Millisecond, stats[0].Duration())
		require.Equal(t, math.MaxUint32*time.Second, stats[1].Duration(), "no nanoseconds are known")
	}
}

// Seconds with three decimals, or as many as it takes, or none.
func TestDurationsPrintAsOvsOfctlPrintsThem(t *testing.T) {
	for want, s := range map[string]GroupStats{
		"duration=0s,":           {},
		"duration=3s,":           {Seconds: 3},
		"duration=3.020s,":       {Seconds: 3, Nanoseconds: 20_000_000},
		"duration=0.0000205s,":   {Nanoseconds: 20_500},
		"duration=1.999999999s,": {Seconds: 1, Nanoseconds: 999_999_999},
		"duration=1s,":           {Seconds: 1, Nanoseconds: 1_000_000_000}, // not kept
	} {
		require.Contains(t, s.String(), want)
	}
}

func TestStatisticsOwnTheirMemory(t *testing.T) {
	body := unhex(t, someStats)
	stats, err := ParseGroupStats(OpenFlow15, body)
	require.NoError(t, err)
	clear(body)
	again, err := AppendGroupStats(nil, OpenFlow15, stats[0])
	require.NoError(t, err)
	requireBytes(t, unhex(t, someStats), again)
}

func TestStatisticsWhoseLengthsLieAreRefused(t *testing.T) {
	for what, body := range map[string]string{
		"header cut":       "0028000000000007",
		"length 0":         "0000" + someStats[4:],
		"length of less":   "0020" + someStats[4:],
		"half a bucket":    "0030" + someStats[4:],
		"bucket cut":       someStats[:len(someStats)-4],
		"beyond the end":   "0048" + someStats[4:],
		"second entry cut": someStats + "0028",
	} {
		stats, err := ParseGroupStats(OpenFlow13, unhex(t, body))
		require.ErrorIs(t, err, ErrMalformed, what)
		require.Nil(t, stats, what)
	}
	stats, err := ParseGroupStats(OpenFlow15, nil)
	require.NoError(t, err, "of an absent group")
	require.Empty(t, stats)
	_, err = ParseGroupStats(5, nil)
	require.ErrorIs(t, err, ErrVersion)
	_, err = ParseGroupStats(OpenFlow15, unhex(t, "0048"+someStats[4:]))
	requireRule(t, err, 7, NoBucket, ErrMalformed)
}

func TestTheLargestStatisticsEntry(t *testing.T) {
	const most = 4092
	for _, v := range bothVersions {
		b, err := AppendGroupStats(nil, v, GroupStats{ID: 7, Buckets: make([]BucketStats, most)})
		require.NoError(t, err)
		require.Len(t, b, 40+16*most)
		stats, err := ParseGroupStats(v, b)
		require.NoError(t, err)
		require.Len(t, stats[0].Buckets, most)

		b, err = AppendGroupStats([]byte("kept"), v, GroupStats{ID: 7, Buckets: make([]BucketStats, most+1)})
		require.Equal(t, "kept", string(b))
		requireRule(t, err, 7, NoBucket, ErrTooLarge)
		var large *TooLargeError
		require.ErrorAs(t, err, &large)
		require.Equal(t, TooLargeError{Version: v, Buckets: most + 1, Fit: most}, *large)
	}
	_, err := AppendGroupStats(nil, 0, GroupStats{ID: 7})
	requireRule(t, err, 7, NoBucket, ErrVersion)
}
