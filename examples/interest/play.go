package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

// play is a server and its clients in this process, with a bad line to each.
type play struct {
	*stage.Stage
	settings
	server  *serverGame
	clients []*clientGame
}

// newPlay starts the server, and clients that connect to it.
func newPlay(s settings) (p *play, err error) {
	p = &play{settings: s}
	p.Stage, err = stage.Open(stage.Cast{
		Rate: tickRate, Clients: players, Protocol: newProtocol, Server: p.newServer, Client: p.newClient,
	}, stage.Sides{}, s.Line)
	return p, err
}

func (p *play) newServer(config plugin.ServerConfig) (*plugin.Server, error) {
	server, err := newServerGame(config, p.rules, p.Seed)
	if err != nil {
		return nil, err
	}
	p.server = server
	server.AddSystem(plugin.BeforeSend, smooth.Switch(&p.interpolate))
	return server.Server, nil
}

// newClient makes a client and checks its entities in every frame.
func (p *play) newClient(config plugin.ClientConfig, id entangle.ClientID) (*plugin.Client, error) {
	grace := p.grace()
	client, err := newClientGame(config, int(id), func(c *clientGame, held []seen) {
		c.checkThings(p.server.judge, held, p.server.Tick(), grace)
	})
	if err != nil {
		return nil, err
	}
	p.clients = append(p.clients, client)
	return client.Client, nil
}

// step plays a frame. It reports whether the time is over.
func (p *play) step() (over bool, err error) {
	return p.Step(p.Frames(tickRate, defaultSeconds, true)), nil
}
