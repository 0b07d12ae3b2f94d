package main

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

// start is what the play's own clock shows first: any time will do, if it is always the
// same.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// play is what this process plays: the server and clients on a clock that the play moves by
// itself, or one of them by the clock on the wall.
type play struct {
	settings
	now     time.Time
	server  *serverGame // nil in mode client
	clients []*clientGame
	worlds  []*ecs.World // the server's, the clients'; of what is not here nil
	seen    sight        // the server's
	played  int          // frames
}

// newPlay starts the sides that the mode names. Clients are on their way to the server.
func newPlay(s settings) (*play, error) {
	p := &play{settings: s, now: start, worlds: []*ecs.World{nil}}
	switch s.Mode {
	case modeServer:
		p.now = time.Now()
		return p, p.listen()
	case modeClient:
		p.now = time.Now()
		return p, p.dial()
	default:
		return p, p.connect()
	}
}

// connect starts all sides, in a network within this process.
func (p *play) connect() error {
	network := memory.NewNetwork()
	if err := p.serve(network.Listener()); err != nil {
		return err
	}
	for i := range p.Clients {
		if err := p.join(network.Dialer(), p.server.Addrs()[0], entangle.ClientID(i+1)); err != nil {
			return err
		}
	}
	return nil
}

// serve starts the server.
func (p *play) serve(listener transport.Listener) error {
	key, err := p.secret()
	if err != nil {
		return err
	}
	config := plugin.ServerConfig{Protocol: newProtocol(p.correction()), Key: key, Clock: p.clock}
	if p.server, err = newServerGame(config, p.Predict); err != nil {
		return err
	}
	p.server.AddSystem(plugin.AfterSend, plugin.Func(p.seen.look))
	p.worlds[0] = newWorld()
	p.server.Initialize(p.worlds[0])
	return p.server.Start(listener)
}

// join starts a client, on a line as bad as it was asked for.
func (p *play) join(dialer transport.Dialer, server netip.AddrPort, id entangle.ClientID) error {
	seed := p.Seed + uint64(id)
	client, err := newClientGame(plugin.ClientConfig{
		Protocol: newProtocol(p.correction()), Clock: p.clock,
		InputDelay: plugin.InputDelay{Min: p.Delay, Max: p.Delay},
	}, seed)
	if err != nil {
		return err
	}
	world := newWorld()
	client.Initialize(world)
	ticket, err := p.ticket(client.Client, server, id)
	if err != nil {
		return err
	}
	p.clients, p.worlds = append(p.clients, client), append(p.worlds, world)
	return client.Connect(conditioner.NewDialer(dialer, conditioner.Options{
		Send: p.line(), Receive: p.line(), Seed: seed, Clock: p.clock,
	}), ticket)
}

func newWorld() *ecs.World {
	w := ecs.NewWorld(1024)
	return &w
}

// ticket mints the token that a client connects with. In a game with accounts a backend
// does so, which knows the key; here the client knows it, which is for a LAN among friends:
// whoever has the key can be anyone.
func (p *play) ticket(client *plugin.Client, server netip.AddrPort, id entangle.ClientID) (token.Token, error) {
	key, err := p.secret()
	if err != nil {
		return token.Token{}, err
	}
	if key.IsZero() {
		return client.DevToken(server, id)
	}
	return plugin.MintToken(key, newProtocol(p.correction()).Name(), token.Claims{
		ClientID: id,
		Servers:  []netip.AddrPort{server},
		Now:      token.NextSecond(p.now),
	})
}

func (p *play) clock() time.Time { return p.now }

// alone reports whether the other side is in another process, and the clock that on the
// wall.
func (p *play) alone() bool { return p.Mode != modeAll }

// step plays a frame. It returns whether the time is over, and why the play can't go on.
func (p *play) step() (over bool, err error) {
	p.now = p.now.Add(time.Second / tickRate)
	if p.alone() {
		p.now = time.Now()
	}
	if p.server != nil {
		p.server.Step(p.now)
	}
	for _, c := range p.clients {
		c.Step(p.now)
	}
	p.played++
	return p.frames() > 0 && p.played >= p.frames(), p.failed()
}

// failed returns why the play can't go on, nil while it can.
func (p *play) failed() error {
	if p.server != nil && p.server.Err() != nil {
		return p.server.Err()
	}
	for _, c := range p.clients {
		if c.State() == plugin.Disconnected {
			return fmt.Errorf("a client is disconnected: %s", c.Reason())
		}
	}
	return nil
}

// end says goodbye to the other side.
func (p *play) end() {
	for i, c := range p.clients {
		c.Finalize(p.worlds[i+1])
	}
	if p.server != nil {
		p.server.Finalize(p.worlds[0])
	}
}
