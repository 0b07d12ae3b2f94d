package main

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// start is what the clock shows first: any time will do, if it is always the same.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// play is a server and a client in this process, a bad line between them, and the
// clock that all three go by.
type play struct {
	now     time.Time
	server  *plugin.Server
	client  *plugin.Client
	worlds  [2]ecs.World // the server's, the client's
	tallies [snakeCount]tally
}

// newPlay starts the server, and a client on its way to it.
func newPlay(s settings) (*play, error) {
	p := &play{now: start, worlds: [2]ecs.World{ecs.NewWorld(), ecs.NewWorld()}}
	clock := func() time.Time { return p.now }
	var err error
	p.server, err = newServer(plugin.ServerConfig{Protocol: newProtocol(), Clock: clock}, s.rules)
	if err != nil {
		return nil, err
	}
	p.client, err = newClient(plugin.ClientConfig{Protocol: newProtocol(), Clock: clock}, &p.tallies)
	if err != nil {
		return nil, err
	}
	p.server.Initialize(&p.worlds[0])
	p.client.Initialize(&p.worlds[1])

	network := memory.NewNetwork()
	if err := p.server.Start(network.Listener()); err != nil {
		return nil, err
	}
	ticket, err := p.client.DevToken(p.server.Addrs()[0], 1)
	if err != nil {
		return nil, err
	}
	return p, p.client.Connect(conditioner.NewDialer(network.Dialer(), conditioner.Options{
		Send: s.line, Receive: s.line, Seed: s.seed, Clock: clock,
	}), ticket)
}

// frame lets the time of a tick pass, on both sides.
func (p *play) frame() {
	p.now = p.now.Add(time.Second / tickRate)
	p.server.Step(p.now)
	p.client.Step(p.now)
}
