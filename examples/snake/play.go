package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

// play is a server and a client in this process, with a bad line between them.
type play struct {
	*stage.Stage
	settings
	tallies [snakeCount]counts
}

// newPlay starts the server, and a client that connects to it.
func newPlay(s settings) (p *play, err error) {
	p = &play{settings: s}
	p.Stage, err = stage.Open(stage.Cast{
		Rate: tickRate, Clients: 1, Protocol: newProtocol,
		Server: p.newServer,
		Client: func(c plugin.ClientConfig, _ entangle.ClientID) (*plugin.Client, error) {
			return newClient(c, &p.tallies)
		},
	}, stage.Sides{}, s.Line)
	return p, err
}

func (p *play) newServer(config plugin.ServerConfig) (*plugin.Server, error) {
	server, err := newServer(config, p.rules, p.Seed)
	if err != nil {
		return nil, err
	}
	server.AddSystem(plugin.BeforeSend, smooth.Switch(&p.interpolate))
	return server, nil
}

// step plays a frame. It reports whether the time is over.
func (p *play) step() (over bool, err error) {
	return p.Step(p.Frames(tickRate, defaultSeconds, true)), nil
}
