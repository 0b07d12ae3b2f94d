package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

// finalAfter is after how many ticks of the server a tick changes no more on any client: all of it has arrived.
const finalAfter = 100

// play is a server and the clients in this process, with a line for each.
type play struct {
	*stage.Stage
	settings
	server  *plugin.Server
	clients [len(clients)]*plugin.Client
	diaries [1 + len(clients)]*diary // of the server, then of the clients

	from entangle.Tick // the next tick to compare; 0: no shot has flown yet
}

// newPlay starts the server, and the clients that connect to it.
func newPlay(s settings) (p *play, err error) {
	p = &play{settings: s}
	for side := range p.diaries {
		p.diaries[side] = newDiary()
	}
	p.Stage, err = stage.Open(stage.Cast{
		Rate: tickRate, Clients: len(clients), Protocol: newProtocol,
		Server: func(c plugin.ServerConfig) (server *plugin.Server, err error) {
			p.server, err = newServer(c, p.diaries[0])
			return p.server, err
		},
		Client: func(c plugin.ClientConfig, id entangle.ClientID) (client *plugin.Client, err error) {
			client, err = newClient(c, id, s.delay, p.diaries[id])
			p.clients[id-1] = client
			return client, err
		},
		LineOf: func(id entangle.ClientID, line stage.Line) stage.Line {
			line.Latency += program.Span(clients[id-1].latency)
			return line
		},
	}, stage.Sides{}, s.Line)
	return p, err
}

// step plays a frame, and compares what can change no more. It reports whether the time is over.
func (p *play) step() (over bool, err error) {
	over = p.Step(p.Frames(tickRate, defaultSeconds, true))
	for now := p.server.Tick(); ; p.from++ {
		if p.from == 0 {
			if len(p.diaries[0].pages[now]) == 0 {
				break
			}
			p.from = now
		}
		if now.Sub(p.from) <= finalAfter {
			break
		}
		for _, d := range p.diaries[1:] {
			d.compare(p.diaries[0], p.from)
		}
	}
	return over, p.Failed()
}
