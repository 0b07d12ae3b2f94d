package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
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
		Rate: tickRate, Clients: s.Clients, Server: p.newServer, Client: p.newClient, Protocol: newProtocol,
	}, s.Sides, s.Line)
	return p, err
}

func (p *play) newServer(config plugin.ServerConfig) (*plugin.Server, error) {
	server, err := newServerGame(config, p.Compensate)
	if err != nil {
		return nil, err
	}
	server.AddSystem(plugin.AfterSend, plugin.Func(p.seen.recordDrawn))
	p.server = server
	return server.Server, nil
}

// newClient creates a client that a bot with its own seed plays.
func (p *play) newClient(config plugin.ClientConfig, id entangle.ClientID) (*plugin.Client, error) {
	client, err := newClientGame(config, p.Seed+uint64(id))
	if err != nil {
		return nil, err
	}
	p.clients = append(p.clients, client)
	return client.Client, nil
}

// warmUp is how many frames a client has to find the server's clock and to fill what it shows in the past.
// What happens in them is not counted.
const warmUp = 3 * tickRate

// step plays a frame. It returns whether the time is over, or the error that ended the play.
func (p *play) step() (over bool, err error) {
	frames := p.frames()
	if frames > 0 {
		frames += warmUp
	}
	over = p.Step(frames)
	if p.Played == warmUp {
		p.restart()
	}
	return over, p.Failed()
}

// restart begins all counts again.
func (p *play) restart() {
	for _, c := range p.clients {
		c.restart()
		c.lateBefore = p.late(c)
	}
}

// late returns how many inputs of a client have reached the server after their tick.
func (p *play) late(c *clientGame) uint64 {
	if p.server == nil {
		return 0
	}
	return p.server.clientOf(c.ID()).InputsLate
}

// setCompensate turns lag compensation on or off. It restarts the counts, so that they are about one of the two.
func (p *play) setCompensate(on bool) {
	p.Compensate = on
	if p.server != nil {
		p.server.compensate = on
	}
	p.restart()
}

// setLine changes the network conditions.
func (p *play) setLine(line stage.Line) error {
	p.Line = line
	return p.SetLine(line)
}
