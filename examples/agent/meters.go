package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ofmcast/ofmcast/ofgroup"
	"github.com/ofmcast/ofmcast/ofgroup/ofconn"
)

// addMeters puts the meters of all ports on the switch. A switch that has none, or no more, gets the
// port's flows without: a port that floods can then delay the others, but all are served.
func (b *base) addMeters(ctx context.Context, s sender, l layout) error {
	for _, p := range l.meters() {
		rate := l.rate(b.rate, p)
		if have := b.meters[p]; have.sure && have.what == rate || b.refused[p] != nil {
			continue
		}
		b.meters[p] = told[uint32]{}
		switch err := b.putMeter(ctx, s, p, rate); {
		case refused(err):
			b.log.Warn("port without a meter: the switch refused it", "port", l.name(p), "err", err)
			b.refused[p] = err
			delete(b.meters, p)
		case err != nil:
			return fmt.Errorf("meter %d: %w", meterOf(p), err)
		default:
			b.meters[p] = told[uint32]{sure: true, what: rate}
		}
	}
	return nil
}

// OFPET_METER_MOD_FAILED and OFPMMFC_METER_EXISTS (OpenFlow 1.5.1, 7.5.4.13).
const (
	meterModFailed = 12
	meterExists    = 1
)

// putMeter adds the meter of a port, for a rate in packets a second, or changes the one that an earlier connection has left.
func (b *base) putMeter(ctx context.Context, s sender, p ofgroup.Port, rate uint32) error {
	m := ofconn.MeterMod{
		Command: ofconn.MeterAdd, ID: meterOf(p),
		Unit: ofconn.PacketsPerSecond, Rate: rate, Burst: rate,
	}
	_, err := s.SendMessage(ctx, m)
	if e := new(ofgroup.SwitchError); errors.As(err, &e) && e.Type == meterModFailed && e.Code == meterExists {
		m.Command = ofconn.MeterModify
		_, err = s.SendMessage(ctx, m)
	}
	return err
}

// takeMeters deletes the meters of ports that are gone, or need none any more.
func (b *base) takeMeters(ctx context.Context, s sender, l layout) error {
	wanted := make(map[ofgroup.Port]bool)
	for _, p := range l.meters() {
		wanted[p] = true
	}
	for p := range b.refused {
		if !wanted[p] {
			delete(b.refused, p)
		}
	}
	for p := range b.meters {
		if wanted[p] {
			continue
		}
		_, err := s.SendMessage(ctx, ofconn.MeterMod{Command: ofconn.MeterDelete, ID: meterOf(p)})
		if err != nil && !refused(err) { // refused: there was none
			return fmt.Errorf("meter %d: %w", meterOf(p), err)
		}
		delete(b.meters, p)
	}
	return nil
}
