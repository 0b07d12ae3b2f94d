package clock

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// clockOrigin is what every clock shows when the true time is zero.
var clockOrigin = time.Unix(1_000_000, 0)

// clockPump is the interval at which the server's machine polls for packets, between two frames.
const clockPump = time.Millisecond

// clockRun is a server and a client in a network, and the observations of them.
type clockRun struct {
	net     clockNetwork
	now     time.Duration // the true time since the beginning
	pumped  time.Duration
	line    *netsim.Line
	end     *clockEnd
	record  *clockRecord
	server  *plugin.Server
	client  *plugin.Client
	hosts   [2]clockHost // the server's machine and the client's
	inputs  clockInputs
	time    *components.Time // the server's time
	here    *components.Time // the client's time
	failed  error
	part    clockPart     // the part that is measured
	changed int           // how many events of the network have happened
	next    entangle.Tick // the next tick of the server
	opened  time.Duration // when the client connected
	synced  time.Duration // how long after that the client knew the server's time
}

// newClockRun makes a run that measures for the given time, after it has settled.
func newClockRun(net clockNetwork, counts time.Duration) (*clockRun, error) {
	r := &clockRun{net: net, record: newClockRecord(net.seconds(counts), max(net.rate(), workload.TickRate))}
	r.inputs.had = make([]plugin.InputStatus, 0, cap(r.record.servers))
	network := netsim.NewNetwork(net.seed(), func() time.Time { return clockOrigin.Add(r.now) })
	listener := network.Listener()
	r.line = network.Line()
	r.end = &clockEnd{listener: listener, arrived: func(b []byte) { r.record.arrived(r.now, b) }}
	network.Tap(func(_, to netip.AddrPort, b []byte) { r.record.sent(r.now, to == listener.Addr(), b) })
	if err := r.line.SetLink(net.link); err != nil {
		return nil, err
	}
	if err := r.startServer(); err != nil {
		return nil, err
	}
	return r, r.startClient(listener.Addr())
}

func (r *clockRun) startServer() (err error) {
	r.hosts[0] = newClockHost(workload.TickRate, r.net.serverDrift, 0, r.net.seed())
	h := &r.hosts[0]
	r.server, err = plugin.NewServer(plugin.ServerConfig{
		Protocol: clockProtocol(), Clock: func() time.Time { return h.now(r.now) }, Entropy: clockEntropy(1), StartTick: clockStart,
	})
	if err != nil {
		return err
	}
	r.server.AddSystem(plugin.FixedMain, plugin.Func(r.inputs.serverSystem))
	w := ecs.NewWorld()
	r.server.Initialize(&w)
	r.time = ecs.GetResource[components.Time](&w)
	r.next = r.time.Tick + 1
	h.step, h.after = r.server.Step, r.afterServer
	return r.server.StartWith(trusted.Listener{Over: r.end, Anywhere: true, Timeout: -1})
}

func (r *clockRun) startClient(server netip.AddrPort) (err error) {
	r.hosts[1] = newClockHost(r.net.rate(), r.net.clientDrift, r.net.phase(), r.net.seed()+1)
	h := &r.hosts[1]
	r.client, err = plugin.NewClient(plugin.ClientConfig{
		Protocol: clockProtocol(), Clock: func() time.Time { return h.now(r.now) }, Entropy: clockEntropy(2), InputDelay: r.net.delay,
	})
	if err != nil {
		return err
	}
	r.client.AddSystem(plugin.FixedInput, plugin.Func(Player))
	w := ecs.NewWorld()
	r.client.Initialize(&w)
	r.here = ecs.GetResource[components.Time](&w)
	h.step, h.after = r.client.Step, r.afterClient
	return r.client.ConnectWith(trusted.Dialer{Over: r.line, Server: server, Client: 1, Timeout: -1})
}

// runFor runs for a duration.
func (r *clockRun) runFor(d time.Duration) {
	until := r.now + d
	for next := r.soonest(); next < until; next = r.soonest() {
		r.advanceTo(next)
	}
	r.now = until
}

// runToClient lets time pass until the next event is a frame of the client.
func (r *clockRun) runToClient() {
	for next := r.soonest(); next < r.hosts[1].next || next == r.hosts[0].next; next = r.soonest() {
		r.advanceTo(next)
	}
	r.now = max(r.now, r.hosts[1].next)
}

// soonest returns the time of the next event.
func (r *clockRun) soonest() time.Duration {
	return min(r.hosts[0].next, r.hosts[1].next, r.pumped+clockPump)
}

// advanceTo sets the time to the next event, and handles it.
func (r *clockRun) advanceTo(next time.Duration) {
	if r.part.from == 0 && r.now >= r.net.warmUp() {
		r.beginPart()
	}
	r.now = max(r.now, next)
	if next == r.pumped+clockPump {
		r.pumped = next
		r.recordError(r.end.pump())
	}
	r.event()
	for i := range r.hosts {
		if h := &r.hosts[i]; h.next == next {
			h.runFrame()
		}
	}
}

func (r *clockRun) recordError(err error) { r.failed = errors.Join(r.failed, err) }

// event applies the network's events that are due.
func (r *clockRun) event() {
	for r.changed < len(r.net.events) && r.net.events[r.changed].at <= r.now {
		r.net.events[r.changed].do(r)
		r.changed++
	}
}

func (r *clockRun) afterServer() {
	r.record.servers = append(r.record.servers, clockServerFrame{
		at: r.now, next: r.next, clock: float64(r.time.Tick) + r.time.Overstep,
	})
	r.next = r.time.Tick + 1
}

func (r *clockRun) afterClient() {
	if r.client.State() != plugin.Connected {
		return
	}
	if r.opened == 0 {
		r.opened = r.now
	}
	info := r.client.Stats().Clock
	if info.Synced && r.synced == 0 {
		r.synced = r.now - r.opened
	}
	f := r.record.servers[len(r.record.servers)-1]
	server := f.clock + (r.now-f.at).Seconds()*workload.TickRate*(1+r.net.serverDrift)
	mine := float64(r.here.Tick) + r.here.Overstep
	r.record.clients = append(r.record.clients, clockClientFrame{
		at: r.now, server: server, lead: mine - server, speed: info.Speed, delay: r.client.InputDelay(),
	})
}

// verify returns an error if the results of the run would be worthless.
func (r *clockRun) verify() error {
	if r.failed == nil && r.client.State() != plugin.Connected {
		return fmt.Errorf("the client is %v: %w", r.client.State(), r.client.Err())
	}
	return r.failed
}

func (r *clockRun) stop() { _ = r.server.Stop() }
