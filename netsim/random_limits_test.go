package netsim_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// limits configure a random world: caps in bytes per second, and the intervals in ticks at which
// either end sends. 0 stands for none.
type limits struct {
	perClient, all, client int
	every, clientEvery     int
	// grid is how many ticks lie between two passes of a grid; 0: there is none.
	grid int
	// host is 1 if the server is a host.
	host int
	// interpolated is 1 if entities can be interpolated.
	interpolated int
	// blueprints and rewinds are 1 if there are blueprints, and if the server rewinds. shots is 1 or 2 if inputs fire
	// shots: see withShots.
	blueprints, rewinds, shots int
	// waiting is how many bytes of early records a client keeps; 0: the default.
	waiting int
}

// configure sets a limit of the world that is made afterwards:
//
//	configure perclient|all|client|every|clientevery|grid|host|interpolated|blueprints|rewinds|shots|waiting NUMBER
func (l *limits) configure(args *script.Args, _ *script.Trace) {
	name, n := args.Word(), args.Int()
	fields := map[string]*int{
		"perclient": &l.perClient, "all": &l.all, "client": &l.client, "every": &l.every, "clientevery": &l.clientEvery,
		"grid": &l.grid, "host": &l.host, "interpolated": &l.interpolated, "waiting": &l.waiting,
		"blueprints": &l.blueprints, "rewinds": &l.rewinds, "shots": &l.shots,
	}
	if fields[name] == nil {
		args.Fail(fmt.Errorf("nothing is configured by %q", name))
	}
	if args.Err() != nil {
		return
	}
	// Values that the plugin refuses count as 0, because the shrinker lowers numbers.
	if least := map[string]int{"perclient": plugin.LeastBytes, "client": plugin.LeastBytes, "all": plugin.LeastBytes * maxGuests}[name]; n < least {
		n = 0
	}
	*fields[name] = n
}

// meters measure the bytes that each capped end sends.
type meters struct {
	limits
	sim      *netsim.Sim
	all      gauge
	down, up map[netip.AddrPort]*gauge
}

func newMeters(l limits, sim *netsim.Sim) *meters {
	return &meters{
		limits: l, sim: sim, all: gauge{rate: float64(l.all)},
		down: map[netip.AddrPort]*gauge{}, up: map[netip.AddrPort]*gauge{},
	}
}

// tap records a datagram.
func (m *meters) tap(from, to netip.AddrPort, datagram []byte) {
	at := m.sim.Clock().Since()
	if from != m.sim.Server().Addrs()[0] {
		gaugeOf(m.up, from, m.client).count(at, len(datagram))
		return
	}
	gaugeOf(m.down, to, m.perClient).count(at, len(datagram))
	m.all.count(at, len(datagram))
}

// checkCaps checks that no cap was exceeded by more than the permitted burst. A connection that
// ends and the next one may each use up their burst.
func (m *meters) checkCaps() error {
	if m.limits.all > 0 && m.all.most > m.all.atOnce(2*maxGuests) {
		return fmt.Errorf("all clients were sent %.0f bytes at once, at %d per second", m.all.most, m.limits.all)
	}
	for addr, g := range m.down {
		if m.perClient > 0 && g.most > g.atOnce(2) {
			return fmt.Errorf("%v was sent %.0f bytes at once, at %d per second", addr, g.most, m.perClient)
		}
	}
	for addr, g := range m.up {
		if m.client > 0 && g.most > g.atOnce(2) {
			return fmt.Errorf("%v has sent %.0f bytes at once, at %d per second", addr, g.most, m.client)
		}
	}
	return nil
}

// patience returns how much longer than without caps it may take until everything has arrived:
// three times the time to send the whole world and all waiting data.
func (m *meters) patience(world int) time.Duration {
	waits := time.Second * time.Duration(m.every+m.clientEvery+slowest) / 30
	if rate := m.perClient; rate > 0 {
		waits += 3 * time.Second * time.Duration(world) / time.Duration(rate)
	}
	if m.limits.all > 0 {
		waits += 3 * time.Second * time.Duration(world*maxGuests) / time.Duration(m.limits.all)
	}
	return waits
}

// worldBytes estimates the bytes needed to send one client the whole world.
func (s *randomScene) worldBytes() (bytes int) {
	m, err := apps.Of(s.sim.World()).ServerMirror()
	require.NoError(s.t, err)
	for i := range m.Entities {
		bytes += 16
		for _, v := range m.Entities[i].Values {
			bytes += 2 + len(v.Wire) + 4*len(v.Refs)
		}
	}
	for _, r := range m.Resources {
		bytes += len(r.Wire) + 4*len(r.Refs)
	}
	return bytes
}

// joined reports whether every client has been told that it has joined.
func (s *randomScene) joined() bool {
	for _, g := range s.guests {
		if !g.Client().Joined() {
			return false
		}
	}
	return s.host == nil || s.host.Player().Joined()
}

// joins is a system of the server that records which clients join.
func (s *randomScene) joins(w *ecs.World) func() {
	came, joined := plugin.NewReader[plugin.ClientConnected](w), plugin.NewReader[plugin.ClientJoined](w)
	pending := map[entangle.ClientID]bool{}
	return func() {
		for _, e := range came.Read() {
			pending[e.Client] = true
		}
		for _, e := range joined.Read() {
			require.Truef(s.t, pending[e.Client], "client %d joined twice over one connection, or without one", e.Client)
			delete(pending, e.Client)
		}
	}
}
