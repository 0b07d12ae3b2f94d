package clock

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// The variant clock/client-frame measures what a client's clock does in a frame once its windows
// are full, in a network with jitter where a packet arrives in every frame: it takes the packet's
// times, learns how early the inputs were, and is steered. In place of the limit there is a whole
// frame of a plugin.Client in such a network with an empty world. In a real game, the clock's share
// of a frame is smaller. One operation is a frame.
const clockFrameWarm = 60 * time.Second // so that the windows are full

func clockFrameVariant() report.Variant {
	return report.Variant{Name: "clock/client-frame", Goal: 0.2, Rounds: 1500, Prepare: func() (report.Sides, error) {
		net := clockGoalOf()
		r, err := newClockRun(net, 2*time.Minute)
		if err != nil {
			return report.Sides{}, err
		}
		r.runFor(clockFrameWarm)
		f := newClockFrames()
		return report.Sides{
			Before: func() { f.before(); r.runToClient() },
			Ours:   f.runClock,
			Limit:  r.hosts[1].runFrame,
			Verify: func() error { return errors.Join(r.verify(), f.verify()) },
			Close:  r.stop,
		}, nil
	}}
}

func clockGoalOf() clockNetwork {
	all := Networks()
	return all[slices.IndexFunc(all, func(n clockNetwork) bool { return n.name == clockGoalNetwork })]
}

// clockFrames is a clock and what happens to it in a frame.
type clockFrames struct {
	clock    *timesync.Client
	screen   timesync.Screen
	meter    *timesync.Meter
	chance   *rand.Rand
	tick     entangle.Tick // the server's tick
	pkt      uint16
	now      time.Time
	late     time.Duration // how late the server's packet is after the frame
	ahead    entangle.Tick // the client's tick
	up, down []byte
}

func newClockFrames() *clockFrames {
	f := &clockFrames{
		clock:  timesync.NewClient(timesync.ClientConfig{TickRate: workload.TickRate}),
		meter:  timesync.NewMeter(timesync.MeterConfig{TickRate: workload.TickRate, SendEvery: 1}),
		chance: rand.New(rand.NewPCG(1, 1)), tick: clockStart, now: clockOrigin, ahead: 4,
	}
	for range int(clockFrameWarm.Seconds()) * workload.TickRate {
		f.before()
		f.runClock()
	}
	return f
}

// before runs the server's and the network's part: packets travel for up to four ticks.
func (f *clockFrames) before() {
	f.tick, f.pkt, f.now = f.tick+1, f.pkt+1, f.now.Add(time.Second/workload.TickRate)
	early, sent := entangle.Tick(f.chance.IntN(4)), f.tick-1+f.ahead
	f.meter.PacketReceived(sent, f.tick+early)
	if len(f.up) > 0 {
		_ = f.meter.HandleFrame(sent, f.up, f.now)
	}
	f.meter.InputReceived(sent, f.tick+early)
	f.meter.TickRan(f.tick, true)
	f.down = f.meter.AppendFrame(f.down[:0], entangle.MaxPayload, f.pkt, f.tick, f.now)
	f.late = time.Duration(f.chance.IntN(16)) * time.Millisecond
}

// runClock does the clock's part of a frame.
func (f *clockFrames) runClock() {
	at := f.now.Add(f.late)
	f.clock.PacketReceived(f.tick, at)
	if len(f.down) > 0 {
		_ = f.clock.HandleFrame(f.tick, f.down, at)
	}
	f.clock.Show(at)
	f.clock.FrameRan(f.tick+f.ahead, 0, at)
	f.clock.InputsSent(f.tick+f.ahead, 2)
	f.up = f.clock.AppendFrame(f.up[:0], entangle.MaxPayload, f.pkt, f.tick+f.ahead, at)
	_, jump := f.clock.Adjust(at)
	f.ahead += entangle.Tick(jump)
	f.clock.Screen(&f.screen)
}

func (f *clockFrames) verify() error {
	if s := f.clock.Stats(); !s.Synced || s.Measured < uint64(clockFrameWarm.Seconds())*workload.TickRate/2 {
		return errors.New("the clock that is measured hears nothing")
	}
	return nil
}
