package main

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

// start is what the play's own clock shows first: any time will do, if it is always the
// same.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// play is what this process plays: the server and a client on a clock that the play
// moves by itself, or one of them by the clock on the wall.
type play struct {
	settings
	now    time.Time
	server *serverGame  // nil in mode client
	client *clientGame  // nil in mode server
	worlds [2]ecs.World // the server's, the client's
	played int          // frames, of a client those in which it counted
}

// newPlay starts the sides that the mode names. The client is on its way to the server.
func newPlay(s settings) (*play, error) {
	p := &play{settings: s, now: start, worlds: [2]ecs.World{ecs.NewWorld(), ecs.NewWorld()}}
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

// connect starts both sides, in a network within this process.
func (p *play) connect() error {
	network := memory.NewNetwork()
	if err := p.serve(network.Listener()); err != nil {
		return err
	}
	return p.join(network.Dialer(), p.server.Addrs()[0])
}

// serve starts the server.
func (p *play) serve(listener transport.Listener) error {
	key, err := p.secret()
	if err != nil {
		return err
	}
	p.server, err = newServerGame(plugin.ServerConfig{Protocol: newProtocol(), Key: key, Clock: p.clock}, p.Rules)
	if err != nil {
		return err
	}
	p.server.Initialize(&p.worlds[0])
	return p.server.Start(listener)
}

// join starts the client, on a line as bad as it was asked for.
func (p *play) join(dialer transport.Dialer, server netip.AddrPort) error {
	var err error
	p.client, err = newClientGame(plugin.ClientConfig{Protocol: newProtocol(), Clock: p.clock})
	if err != nil {
		return err
	}
	p.client.tally.loss = p.Loss
	p.client.Initialize(&p.worlds[1])
	ticket, err := p.ticket(server)
	if err != nil {
		return err
	}
	return p.client.Connect(conditioner.NewDialer(dialer, conditioner.Options{
		Send: p.line(), Receive: p.line(), Seed: p.Seed, Clock: p.clock,
	}), ticket)
}

// ticket mints the token that the client connects with. In a game with accounts a
// backend does so, which knows the key; here the client knows it, which is for a LAN
// among friends: whoever has the key can be anyone.
func (p *play) ticket(server netip.AddrPort) (token.Token, error) {
	key, err := p.secret()
	if err != nil {
		return token.Token{}, err
	}
	id := p.clientID()
	if key.IsZero() {
		return p.client.DevToken(server, id)
	}
	return plugin.MintToken(key, newProtocol().Name(), token.Claims{
		ClientID: id,
		Servers:  []netip.AddrPort{server},
		Now:      token.NextSecond(p.now),
	})
}

func (p *play) clock() time.Time { return p.now }

// alone reports whether the other side is in another process, and the clock that on the
// wall.
func (p *play) alone() bool { return p.server == nil || p.client == nil }

// frame lets the time of a tick pass, or take in how much has.
func (p *play) frame() {
	p.now = p.now.Add(time.Second / tickRate)
	if p.alone() {
		p.now = time.Now()
	}
	if p.server != nil {
		p.server.Step(p.now)
	}
	if p.client != nil {
		p.client.Step(p.now)
	}
}

// step plays a frame. It returns whether the time is over, and why the play can't go on.
func (p *play) step() (over bool, err error) {
	counts := p.client == nil || p.client.tally.begun
	p.frame()
	if counts {
		p.played++
	}
	return p.frames() > 0 && p.played >= p.frames(), p.failed()
}

// failed returns why the play can't go on, nil while it can.
func (p *play) failed() error {
	if p.server != nil && p.server.Err() != nil {
		return p.server.Err()
	}
	if p.client != nil && p.client.State() == plugin.Disconnected {
		return fmt.Errorf("the client is disconnected: %s", p.client.Reason())
	}
	return nil
}

// end says goodbye to the other side.
func (p *play) end() {
	if p.client != nil {
		p.client.Finalize(&p.worlds[1])
	}
	if p.server != nil {
		p.server.Finalize(&p.worlds[0])
	}
}
