package snooper

import (
	"testing"
	"time"

	"github.com/ofmcast/ofmcast/igmp"
	"github.com/stretchr/testify/require"
)

const nano = time.Nanosecond

func v3Query(qrv uint8, qqi, maxResp time.Duration) *igmp.Query {
	return &igmp.Query{Version: 3, Group: nobody, MaxResp: maxResp, QRV: qrv, QQI: qqi}
}

func TestARouterPortLastsAsLongAsItsSignSays(t *testing.T) {
	for _, c := range []struct {
		name  string
		cfg   Config
		frame []byte
		want  time.Duration
	}{
		{"other querier present", Config{}, signs(t)["query"], 255 * time.Second},
		{"v2 querier", Config{}, signs(t)["v2 query"], 255 * time.Second},
		{"quick querier", Config{}, frameOf(t, querier, v3Query(2, 10*time.Second, 2*time.Second)), 255 * time.Second},
		{"slow querier", Config{}, frameOf(t, querier, v3Query(3, 200*time.Second, 10*time.Second)), 605 * time.Second},
		{"slow querier, QRV not told", Config{}, frameOf(t, querier, v3Query(0, 200*time.Second, 10*time.Second)), 405 * time.Second},
		{"absurd querier", Config{}, frameOf(t, querier, v3Query(7, 31744*time.Second, 3174*time.Second)), time.Hour},
		{"DVMRP", Config{}, signs(t)["DVMRP probe"], 255 * time.Second},
		{"PIM version 1", Config{}, signs(t)["PIM version 1"], 255 * time.Second},
		{"configured", Config{RouterTimeout: 3 * time.Second}, signs(t)["v2 query"], 3 * time.Second},
		{"bounded", Config{MaxRouterTimeout: 300 * time.Second}, frameOf(t, querier, v3Query(7, time.Hour, 0)), 300 * time.Second},
		{"bound under the timeout", Config{MaxRouterTimeout: time.Second}, signs(t)["v2 query"], 255 * time.Second},

		{"advertisement", Config{}, frameOf(t, querier, advertisement(20)), 60 * time.Second},
		{"advertisement, most seldom", Config{}, frameOf(t, querier, advertisement(180)), 540 * time.Second},
		{"advertisement without interval", Config{}, frameOf(t, querier, advertisement(0)), 12 * time.Second},

		{"hello", Config{}, hello(querier, holdtime(105)...), 105 * time.Second},
		{"hello, quick", Config{}, hello(querier, holdtime(1)...), 12 * time.Second},
		{"hello for ever", Config{}, hello(querier, holdtime(0xffff)...), time.Hour},
		{"hello without options", Config{}, hello(querier), 105 * time.Second},
		{"hello with other options", Config{}, hello(querier, append([]byte{0, 20, 0, 4, 1, 2, 3, 4}, holdtime(35)...)...), 35 * time.Second},
		{"hello with a strange holdtime", Config{}, hello(querier, 0, 1, 0, 4, 0, 0, 0, 9), 105 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(c.cfg)
			s.Frame(1, c.frame, t0)
			next, waiting := s.Next()
			require.True(t, waiting)
			require.Equal(t, after(c.want), next)
			s.Advance(next.Add(-nano))
			require.Equal(t, []Port{1}, routerPorts(s, 0))
			s.Advance(next)
			require.Empty(t, routerPorts(s, 0))
			require.Equal(t, uint64(1), s.Counters().RouterPortsExpired)
			_, waiting = s.Next()
			require.False(t, waiting)
		})
	}
}

func TestARouterPortLivesWhileItIsRefreshed(t *testing.T) {
	s := New(Config{})
	frame := frameOf(t, querier, generalQuery())
	for i := range 10 {
		s.Frame(1, frame, after(time.Duration(i)*250*time.Second))
		require.Equal(t, []Port{1}, routerPorts(s, 0))
	}
	next, _ := s.Next()
	s.Advance(next) // may have nothing to do, but then says better
	next, _ = s.Next()
	require.Equal(t, after(9*250*time.Second+255*time.Second), next)
	require.Equal(t, uint64(1), s.Counters().RouterPortsLearnt)
}

func TestFramesAgeRouterPortsToo(t *testing.T) {
	s := New(Config{})
	s.Frame(1, frameOf(t, querier, generalQuery()), t0)
	s.Frame(2, frameOf(t, host, &igmp.ReportV2{Group: group}), after(255*time.Second))
	require.Empty(t, routerPorts(s, 0))
}

func TestTimeDoesNotGoBack(t *testing.T) {
	s := New(Config{})
	s.Advance(after(time.Hour))
	s.Frame(1, frameOf(t, querier, generalQuery()), t0)
	next, _ := s.Next()
	require.Equal(t, after(time.Hour+255*time.Second), next)
	s.Advance(t0)
	require.Equal(t, []Port{1}, routerPorts(s, 0))
}

func TestRouterPortsAreLearntInTheirVLAN(t *testing.T) {
	s := New(Config{})
	frame := func(vlans ...uint16) []byte { return frameOf(t, querier, generalQuery(), vlans...) }
	s.Frame(8, frame(10), t0)
	s.Frame(3, frame(10), t0)
	s.Frame(3, frame(), after(time.Second))
	s.Frame(4, frame(20, 10), after(2*time.Second))
	require.Equal(t, []Port{3, 8}, routerPorts(s, 10))
	require.Equal(t, []Port{3}, routerPorts(s, 0))
	require.Equal(t, []Port{4}, routerPorts(s, 20<<16|10))
	require.Empty(t, routerPorts(s, 20))
	s.Advance(after(255 * time.Second))
	require.Empty(t, routerPorts(s, 10))
	require.Equal(t, []Port{3}, routerPorts(s, 0))
	s.Advance(after(257 * time.Second))
	require.Empty(t, routerPorts(s, 0))
	require.Equal(t, uint64(4), s.Counters().RouterPortsExpired)
}

func TestATerminationTakesBackAllThatItsSenderShowed(t *testing.T) {
	s := New(Config{})
	s.Frame(1, frameOf(t, querier, advertisement(20)), t0)
	s.Frame(1, frameOf(t, querier, generalQuery()), t0)
	r := s.Frame(1, frameOf(t, querier, termination()), t0)
	require.Equal(t, AcceptedRouter, r.Verdict)
	require.Equal(t, ForwardAll, r.Forward)
	require.Empty(t, routerPorts(s, 0))
	c := s.Counters()
	require.Equal(t, uint64(1), c.RouterPortsEnded)
	require.Zero(t, c.RouterPortsExpired)
}

func TestOneRoutersEndDoesNotCutOffAnotherBehindThePort(t *testing.T) {
	other := addr("192.0.2.253")
	s := New(Config{})
	s.Frame(1, frameOf(t, querier, advertisement(20)), t0)
	s.Frame(1, frameOf(t, other, advertisement(20)), t0)
	s.Frame(1, frameOf(t, querier, termination()), t0)
	require.Equal(t, []Port{1}, routerPorts(s, 0))
	s.Frame(1, frameOf(t, querier, termination(), 10), t0)
	require.Equal(t, []Port{1}, routerPorts(s, 0), "another VLAN")
	s.Frame(1, frameOf(t, other, termination()), t0)
	require.Empty(t, routerPorts(s, 0))
}

func TestAPIMGoodbyeTakesBackHellosAlone(t *testing.T) {
	s := New(Config{})
	s.Frame(1, hello(querier, holdtime(105)...), t0)
	s.Frame(2, hello(querier, holdtime(105)...), t0)
	s.Frame(2, frameOf(t, querier, generalQuery()), t0)
	for _, p := range []Port{1, 2, 3} {
		require.Equal(t, AcceptedRouter, s.Frame(p, hello(querier, holdtime(0)...), t0).Verdict)
	}
	require.Equal(t, []Port{2}, routerPorts(s, 0), "its queries still count")
}

func TestForgedRoutersPushOutNobodyOnThePort(t *testing.T) {
	s := New(Config{})
	s.Frame(1, frameOf(t, querier, v3Query(3, 200*time.Second, 0)), t0) // the longest
	for i := range 100 {
		from := addr("198.51.100.1").As4()
		from[3] = byte(i)
		s.Frame(1, hello(addr("198.51.100.1"), holdtime(uint16(100+i))...), t0)
		s.Frame(1, hello(addrFrom4(from), holdtime(100)...), t0)
	}
	require.Equal(t, []Port{1}, routerPorts(s, 0))
	s.Advance(after(599 * time.Second))
	require.Equal(t, []Port{1}, routerPorts(s, 0))
}

func TestRouterPortsAreBounded(t *testing.T) {
	s := New(Config{MaxRouterPorts: 2})
	frame := frameOf(t, querier, generalQuery())
	for p := Port(1); p <= 4; p++ {
		require.Equal(t, AcceptedQuery, s.Frame(p, frame, t0).Verdict, "a query all the same")
	}
	require.Equal(t, []Port{1, 2}, routerPorts(s, 0))
	require.Equal(t, uint64(2), s.Counters().RouterPortsRefused)

	s.Frame(1, frame, after(time.Second))
	require.Equal(t, uint64(2), s.Counters().RouterPortsRefused, "who is in may stay")
	s.SetRole(8, Trusted)
	s.SetRole(9, Router)
	s.Frame(8, frame, after(time.Second))
	require.Equal(t, []Port{1, 2, 8, 9}, routerPorts(s, 0), "no limit for the trusted")
	s.RemovePort(8)
	s.Advance(after(255 * time.Second)) // port 2 ends
	s.Frame(4, frame, after(255*time.Second))
	require.Equal(t, []Port{1, 4, 9}, routerPorts(s, 0))
}

func TestByDefaultThereIsRoomFor4096RouterPorts(t *testing.T) {
	s := New(Config{})
	frame := frameOf(t, querier, generalQuery())
	for p := range Port(4100) {
		s.Frame(p, frame, t0)
	}
	require.Len(t, routerPorts(s, 0), 4096)
	require.Equal(t, uint64(4), s.Counters().RouterPortsRefused)
}

// What comes and goes leaves nothing behind: neither VLANs without router ports nor the lists of earlier frames.
func TestMemoryDoesNotGrowWithTime(t *testing.T) {
	s := New(Config{})
	report := &igmp.ReportV3{Records: []igmp.Record{{Type: igmp.Allow, Group: group, Sources: addrs("198.51.100.1")}}}
	asked := v3Query(2, 0, 0)
	asked.Group, asked.Sources = group, addrs("198.51.100.1")
	for i := range 2000 {
		at := after(time.Duration(i) * 255 * time.Second)
		s.Frame(1, frameOf(t, querier, asked, uint16(1+i)), at)
	}
	for range 2000 {
		s.Frame(2, frameOf(t, host, report), t0)
	}
	require.Len(t, s.routers.learnt, 1)
	require.Equal(t, 1, s.routers.size)
	require.Less(t, cap(s.records), 16)
	require.Less(t, cap(s.sources), 16)
}

func TestGenerationTellsEveryChangeOfRouterPorts(t *testing.T) {
	s := New(Config{})
	changed := func(want bool, what string, do func()) {
		t.Helper()
		before := s.Generation()
		do()
		require.Equal(t, want, s.Generation() != before, what)
	}
	frame := frameOf(t, querier, generalQuery())
	changed(true, "learnt", func() { s.Frame(1, frame, t0) })
	changed(false, "refreshed", func() { s.Frame(1, frame, after(time.Second)) })
	changed(false, "nothing to do with it", func() { s.SetRole(2, Member) })
	changed(true, "static", func() { s.SetRole(3, Router) })
	changed(true, "static no more", func() { s.SetRole(3, Member) })
	changed(false, "not due", func() { s.Advance(after(255 * time.Second)) })
	changed(true, "expired", func() { s.Advance(after(256 * time.Second)) })
	changed(true, "learnt again", func() { s.Frame(1, frame, after(256*time.Second)) })
	changed(true, "ended", func() { s.Frame(1, frameOf(t, querier, termination()), after(256*time.Second)) })
	changed(false, "gone already", func() { s.RemovePort(1) })
}
