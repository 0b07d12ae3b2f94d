package main

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// start is what the clock shows first: any time will do, if it is always the same.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// play is a server and its clients in this process, a bad line to each, and the clock that
// all go by.
type play struct {
	settings
	now     time.Time
	server  *serverGame
	clients []*clientGame
	worlds  [1 + players]ecs.World // the server's, the clients'
	grace   entangle.Tick
}

// newPlay starts the server, and the clients on their way to it.
func newPlay(s settings) (*play, error) {
	p := &play{settings: s, now: start, grace: s.grace()}
	for i := range p.worlds {
		p.worlds[i] = ecs.NewWorld()
	}
	var err error
	p.server, err = newServerGame(plugin.ServerConfig{Protocol: newProtocol(), Clock: p.clock}, s.rules)
	if err != nil {
		return nil, err
	}
	p.server.Initialize(&p.worlds[0])
	network := memory.NewNetwork()
	if err := p.server.Start(network.Listener()); err != nil {
		return nil, err
	}
	for number := 1; number <= players; number++ {
		if err := p.join(number, network); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// join starts a client.
func (p *play) join(number int, network *memory.Network) error {
	client, err := newClientGame(plugin.ClientConfig{Protocol: newProtocol(), Clock: p.clock}, number, p.check)
	if err != nil {
		return err
	}
	p.clients = append(p.clients, client)
	client.Initialize(&p.worlds[number])
	ticket, err := client.DevToken(p.server.Addrs()[0], entangle.ClientID(number))
	if err != nil {
		return err
	}
	return client.Connect(conditioner.NewDialer(network.Dialer(), conditioner.Options{
		Send: p.line, Receive: p.line, Seed: p.seed + uint64(number), Clock: p.clock,
	}), ticket)
}

// check judges what a client holds in a frame.
func (p *play) check(c *clientGame, held []seen) {
	c.check(p.server.judge, held, p.server.Tick(), p.grace)
}

func (p *play) clock() time.Time { return p.now }

// frame lets the time of a tick pass, on all sides.
func (p *play) frame() {
	p.now = p.now.Add(time.Second / tickRate)
	p.server.Step(p.now)
	for _, client := range p.clients {
		client.Step(p.now)
	}
}
