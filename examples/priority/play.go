package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

// play holds the sides of this process: the server and a client, or one of them.
type play struct {
	*stage.Stage
	settings
	server *serverGame // nil in mode client
	client *clientGame // nil in mode server
	played int         // number of frames; of a client, those in which it counted
}

// newPlay starts the sides of the mode. The client begins to connect.
func newPlay(s settings) (p *play, err error) {
	p = &play{settings: s}
	p.Stage, err = stage.Open(stage.Cast{
		Rate: tickRate, Clients: 1, Protocol: newProtocol, Server: p.newServer, Client: p.newClient,
	}, s.Sides, s.Line)
	return p, err
}

func (p *play) newServer(config plugin.ServerConfig) (*plugin.Server, error) {
	server, err := newServerGame(config, p.Rules)
	if err != nil {
		return nil, err
	}
	p.server = server
	server.AddSystem(plugin.BeforeSend, smooth.Switch(&p.Interpolate))
	return server.Server, nil
}

func (p *play) newClient(config plugin.ClientConfig, _ entangle.ClientID) (*plugin.Client, error) {
	client, err := newClientGame(config)
	if err != nil {
		return nil, err
	}
	client.counts.loss = p.Loss
	p.client = client
	return client.Client, nil
}

// step plays a frame. It reports whether the time is over, or returns the error that ended the
// play.
func (p *play) step() (over bool, err error) {
	counts := p.client == nil || p.client.counts.begun
	p.Frame()
	if counts {
		p.played++
	}
	return p.frames() > 0 && p.played >= p.frames(), p.Failed()
}
