package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// play holds the sides of this process: the server and clients, or one of them.
type play struct {
	*stage.Stage
	settings
	server  *serverGame // nil in mode client
	clients []*clientGame
	seen    viewState // what the server's view shows
}

// newPlay starts the sides of the mode. Clients begin to connect.
func newPlay(s settings) (p *play, err error) {
	p = &play{settings: s}
	p.Stage, err = stage.Open(stage.Cast{
		Rate: tickRate, Clients: s.Clients, Server: p.newServer, Client: p.newClient,
		Protocol: func() *protocol.Protocol { return newProtocol(s.correction()) },
	}, s.Sides, s.Line)
	return p, err
}

func (p *play) newServer(config plugin.ServerConfig) (*plugin.Server, error) {
	server, err := newServerGame(config, p.Predict)
	if err != nil {
		return nil, err
	}
	server.AddSystem(plugin.AfterSend, plugin.Func(p.seen.recordDrawn))
	p.server = server
	return server.Server, nil
}

// newClient creates a client that a bot with its own seed steers.
func (p *play) newClient(config plugin.ClientConfig, id entangle.ClientID) (*plugin.Client, error) {
	config.InputDelay = plugin.InputDelay{Min: p.Delay, Max: p.Delay}
	client, err := newClientGame(config, p.Seed+uint64(id))
	if err != nil {
		return nil, err
	}
	p.clients = append(p.clients, client)
	return client.Client, nil
}

// step plays a frame. It returns whether the time is over, or the error that ended the play.
func (p *play) step() (over bool, err error) { return p.Step(p.frames()), p.Failed() }
