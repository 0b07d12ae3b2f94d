package netsim

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// Peer is a client of a simulation, with its line to the server.
type Peer struct {
	*host
	sim    *Sim
	id     entangle.ClientID
	client *plugin.Client
	line   *Line
	keys   keys
}

// ID returns the id that the client's tokens are made for.
func (p *Peer) ID() entangle.ClientID { return p.id }

// Client returns the client.
func (p *Peer) Client() *plugin.Client { return p.client }

// World returns the client's world.
func (p *Peer) World() *ecs.World { return p.world }

// Line returns the client's line.
func (p *Peer) Line() *Line { return p.line }

// Connected reports whether the client is connected.
func (p *Peer) Connected() bool { return p.client.State() == plugin.Connected }

// Original returns the server's entity that one of the client's is a copy of, as Sim.Watch
// found it at the client's last frame in which anything had arrived.
func (p *Peer) Original(local ecs.Entity) (original ecs.Entity, ok bool) {
	if p.sim.watch == nil || p.sim.watch.held[p.world] == nil {
		return ecs.Entity{}, false
	}
	original, ok = p.sim.watch.held[p.world].of[local]
	return original, ok
}

// Connect begins the way to the server with a new token, for a client that has
// disconnected or was disconnected. A client that can't fails the test.
func (p *Peer) Connect() {
	p.sim.t.Helper()
	t, err := p.sim.mint(p.id)
	if err == nil {
		err = p.client.Connect(p.line, t)
	}
	if err != nil {
		p.sim.t.Fatalf("netsim: client %d can't connect: %v", p.id, err)
	}
}

// Disconnect ends the client's connection from its side.
func (p *Peer) Disconnect() { p.client.Disconnect() }

// SetLink changes how the client's line behaves from now on. A link that can't be
// fails the test.
func (p *Peer) SetLink(link Link) {
	p.sim.t.Helper()
	if err := p.line.SetLink(link); err != nil {
		p.sim.t.Fatalf("netsim: client %d: %v", p.id, err)
	}
}

// Cut loses everything that is sent from now on, in both directions, until
// Restore.
func (p *Peer) Cut() { p.line.Cut() }

// Restore ends a Cut.
func (p *Peer) Restore() { p.line.Restore() }

// SetDrift makes the client's clock run faster (above 0) or slower than the simulation's
// from now on, by so many parts per million, -MaxDrift to MaxDrift. Its frames go by that
// clock. Another drift fails the test.
func (p *Peer) SetDrift(ppm int) {
	p.sim.t.Helper()
	p.sim.check(p.clock.setDrift(ppm))
}

// Freeze lets no frame of the client begin for a time from now on, as a machine that
// hangs: what arrives waits, and the client's clock goes on. A negative time fails the
// test.
func (p *Peer) Freeze(d time.Duration) {
	p.sim.t.Helper()
	p.sim.check(p.freeze(p.sim.clock.Since(), d))
}

// SetFrameRate changes how many frames per second of its clock the client runs, from the
// next frame on. One that can't be fails the test.
func (p *Peer) SetFrameRate(rate int) {
	p.sim.t.Helper()
	p.sim.check(p.setFrameRate(rate))
}

// Lead returns by how many ticks the client's simulation is ahead of the server's at this
// moment, or behind it if below 0: what only a simulation can know, and what ClockInfo.Lead
// is the client's guess of. It says something once the client's clock is synced.
func (p *Peer) Lead() float64 {
	mine, more := p.phase()
	server, moreThere := p.sim.server.phase()
	return float64(mine.Sub(server)) + more - moreThere
}

// Local returns the client's entity for an entity of the server's world. It is
// not ok while the client has none.
func (p *Peer) Local(server ecs.Entity) (e ecs.Entity, ok bool) {
	p.sim.t.Helper()
	if !p.Connected() {
		return ecs.Entity{}, false
	}
	for _, pair := range p.pairs(p.sim.mirror()) {
		if pair.server != nil && pair.server.Entity == server && pair.client != nil && p.world.Alive(pair.client.Entity) {
			return pair.client.Entity, true
		}
	}
	return ecs.Entity{}, false
}

// Origin returns the server's entity that an entity of the client's world is a
// copy of. It is not ok for one that is no copy, or whose original is gone.
func (p *Peer) Origin(local ecs.Entity) (e ecs.Entity, ok bool) {
	p.sim.t.Helper()
	for _, pair := range p.pairs(p.sim.mirror()) {
		if pair.client != nil && pair.client.Entity == local && pair.server != nil {
			return pair.server.Entity, true
		}
	}
	return ecs.Entity{}, false
}
