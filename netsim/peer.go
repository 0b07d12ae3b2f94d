package netsim

import (
	"strings"
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

// ID returns the client id that the client's tokens are issued for.
func (p *Peer) ID() entangle.ClientID { return p.id }

// Client returns the client.
func (p *Peer) Client() *plugin.Client { return p.client }

// World returns the client's world.
func (p *Peer) World() *ecs.World { return p.world }

// Line returns the client's line.
func (p *Peer) Line() *Line { return p.line }

// Connected reports whether the client is connected.
func (p *Peer) Connected() bool { return p.client.State() == plugin.Connected }

// Original returns the server's entity for a replica of the client, as Sim.Watch found it at the
// client's latest frame with received data. ok is false without Watch, or if it found none.
func (p *Peer) Original(local ecs.Entity) (original ecs.Entity, ok bool) {
	if p.sim.watch == nil {
		return ecs.Entity{}, false
	}
	return p.sim.watch.Original(p.world, local)
}

// Connect starts connecting to the server with a new token. The client must be disconnected; if it
// cannot connect, the test fails.
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

// SetLink changes the behaviour of the client's line from now on. An invalid link fails the test.
func (p *Peer) SetLink(link Link) {
	p.sim.t.Helper()
	if err := p.line.SetLink(link); err != nil {
		p.sim.t.Fatalf("netsim: client %d: %v", p.id, err)
	}
}

// Cut drops everything that is sent from now on, in both directions, until Restore.
func (p *Peer) Cut() { p.line.Cut() }

// Restore ends a Cut.
func (p *Peer) Restore() { p.line.Restore() }

// SetDrift makes the client's clock run faster (above 0) or slower than the simulation's from now
// on, in parts per million, -MaxDrift to MaxDrift. The client's frames follow this clock. A value
// out of range fails the test.
func (p *Peer) SetDrift(ppm int) {
	p.sim.t.Helper()
	p.sim.requireNoError(p.clock.setDrift(ppm))
}

// Freeze keeps the client from beginning a frame for a duration from now on, like a machine that
// hangs: received packets wait, and the client's clock runs on. A negative duration fails the test.
func (p *Peer) Freeze(d time.Duration) {
	p.sim.t.Helper()
	p.sim.requireNoError(p.freeze(p.sim.clock.Since(), d))
}

// SetFrameRate changes the client's frames per second, measured by its own clock, from the next
// frame on. An invalid rate fails the test.
func (p *Peer) SetFrameRate(rate int) {
	p.sim.t.Helper()
	p.sim.requireNoError(p.setFrameRate(rate))
}

// Press makes the client's player write an input of type input.Comp for a replica in its next tick,
// after the game's own systems have. It does nothing if the client does not control the replica by
// then, or if the replica lacks the input.
func (p *Peer) Press(replica ecs.Entity, input ecs.Component) { p.keys.press(replica, input) }

// Lead returns by how many ticks the client's simulation is ahead of the server's at this moment. A
// negative lead means that it is behind. It is the true value, which only a simulation can know;
// ClockStats.Lead is the client's estimate of it. It is meaningful once the client's clock is
// synced.
func (p *Peer) Lead() float64 {
	mine, more := p.phase()
	server, moreThere := p.sim.server.phase()
	return float64(mine.Sub(server)) + more - moreThere
}

// Local returns the client's replica of an entity of the server's world. ok is false while the
// client has none. No query of the server's world may be open. Each call observes that whole world, which
// takes some 20 ms for 20,000 entities: to look up many, give them a number of the game's in a component.
func (p *Peer) Local(server ecs.Entity) (e ecs.Entity, ok bool) {
	p.sim.t.Helper()
	if !p.Connected() {
		return ecs.Entity{}, false
	}
	return p.sim.snapshot().Replica(p.compared(), server)
}

// Origin returns the server's entity for a replica in the client's world. ok is false if the entity
// is no replica, or if its original is despawned. It costs as much as Local.
func (p *Peer) Origin(local ecs.Entity) (e ecs.Entity, ok bool) {
	p.sim.t.Helper()
	return p.sim.snapshot().Original(p.compared(), local)
}

// explained is the number of rollbacks for which a client of a simulation keeps the causes.
const explained = 16

// explain logs the causes of the client's latest rollbacks.
func (p *Peer) explain() {
	var lines strings.Builder
	for _, r := range p.client.Rollbacks() {
		lines.WriteString("\n  " + r.String())
	}
	if lines.Len() > 0 {
		p.sim.t.Logf("netsim: client %d rolled back, the last times:%s", p.id, lines.String())
	}
}
