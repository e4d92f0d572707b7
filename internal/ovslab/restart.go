package ovslab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ErrSwitchDown is returned by KillSwitch when there is no switch to kill.
var ErrSwitchDown = errors.New("ovslab: the switch is down already")

// KillSwitch ends ovs-vswitchd with SIGKILL and returns when it is gone, and
// with it every OpenFlow connection, flow and group. The database, and so the
// bridge's configuration, stays.
func (l *Lab) KillSwitch() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.vswitch == nil {
		return ErrSwitchDown
	}
	err := l.vswitch.stop()
	l.vswitch = nil
	if err != nil {
		return fmt.Errorf("ovslab: %w", err)
	}
	return nil
}

// RestartSwitch starts ovs-vswitchd on the same database, after killing one
// that runs, and returns when the bridge has its ports and forwards as its fail
// mode says. It takes at most ten seconds, less where ctx says so. Clients
// that reconnect by themselves may be connected before it returns.
func (l *Lab) RestartSwitch(ctx context.Context) error {
	if err := l.KillSwitch(); err != nil && !errors.Is(err, ErrSwitchDown) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := l.startSwitch(ctx); err != nil {
		return fmt.Errorf("ovslab: restart: %w", err)
	}
	// The bridge takes connections some milliseconds before it forwards. Only a
	// change of the database makes ovs-vsctl wait for the switch.
	now := strconv.FormatInt(time.Now().UnixNano(), 10)
	if _, err := l.Vsctl(ctx, "set", "bridge", l.Bridge(), "external_ids:restarted="+now); err != nil {
		return fmt.Errorf("ovslab: restart: %w\n%s", err, l.logTail(logOfSwitch))
	}
	return nil
}
