// Package metrics has the counters of an agent for Prometheus. The number of series follows the number of
// sinks and port roles, never that of groups, hosts or sources, which strangers choose.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ofmcast/ofmcast/examples/agent/view"
)

// Handler answers with the agent's metrics and those of its process.
func Handler(src view.Sources) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(New(src), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// New returns a collector of what src counts.
func New(src view.Sources) prometheus.Collector { return collector{src} }

type collector struct{ src view.Sources }

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range all {
		ch <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	out := sender(ch)
	c.memberships(out)
	c.sinks(out)
	c.theSwitch(out)
	c.igmp(out)
	c.routes(out)
}

// sender takes values.
type sender chan<- prometheus.Metric

func (s sender) put(m metric, value float64, labels ...string) {
	s <- prometheus.MustNewConstMetric(m.desc, m.kind, value, labels...)
}

// count puts a counter.
func (s sender) count(m metric, value uint64, labels ...string) { s.put(m, float64(value), labels...) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
