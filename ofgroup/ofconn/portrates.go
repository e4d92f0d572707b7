package ofconn

import (
	"time"

	"github.com/ofmcast/ofmcast/ofgroup"
)

// portRates hold each port to a rate. The switch chooses the ports, so there is a
// bound on how many are told apart; all others then share one measure.
type portRates struct {
	rate   Rate
	ports  map[ofgroup.Port]*meter
	others meter
}

// maxRatedPorts is how many ports are told apart at a time.
const maxRatedPorts = 1 << 14

func newPortRates(r Rate) *portRates {
	return &portRates{rate: r, ports: map[ofgroup.Port]*meter{}, others: newMeter(r)}
}

// take counts a packet of a port, or returns false if the port had too many.
func (p *portRates) take(port ofgroup.Port, now time.Time) bool {
	if p.rate.PerSecond <= 0 {
		return true
	}
	m := p.ports[port]
	if m == nil {
		m = p.add(port, now)
	}
	return m.take(now)
}

// add makes a measure for another port, in the room of those that were silent for long.
func (p *portRates) add(port ofgroup.Port, now time.Time) *meter {
	if len(p.ports) >= maxRatedPorts {
		if !p.others.full(now) {
			return &p.others // so that a flood of ports is not one of sweeps
		}
		for old, m := range p.ports {
			if m.full(now) {
				delete(p.ports, old)
			}
		}
		if len(p.ports) >= maxRatedPorts {
			return &p.others
		}
	}
	m := newMeter(p.rate)
	p.ports[port] = &m
	return &m
}
