package main

import "github.com/entangle-ecs/entangle"

// order is an order to a process: one line of JSON on its standard input. Every field is optional.
type order struct {
	// Settings is the first order of a process that is led over a pipe.
	Settings *settings `json:"settings,omitempty"`
	// Steer takes the helm from the bot of a client.
	Steer *Steer `json:"steer,omitempty"`
	// Bot gives the helm back.
	Bot bool `json:"bot,omitempty"`
	// Still holds the server's world still, or lets it go on.
	Still *bool `json:"still,omitempty"`
	// Line makes a client's line better or worse.
	Line *quality `json:"line,omitempty"`
	// Dump asks for a dump of the world in a file of this name.
	Dump string `json:"dump,omitempty"`
	// Spoil spoils one value of the world before.
	Spoil bool `json:"spoil,omitempty"`
}

// report is a report of a process: one line of JSON on its standard output, twenty times per second.
type report struct {
	// Side is the reporting side: 0 the server, then the clients.
	Side int `json:"side"`
	// Addr is where a server listens.
	Addr string `json:"addr,omitempty"`
	// State of a client's connection, or of a server.
	State string `json:"state"`

	Tick     entangle.Tick `json:"tick"`
	Entities int           `json:"entities"`
	Still    bool          `json:"still,omitempty"`
	Eaten    int           `json:"eaten,omitempty"`

	// Links are the connections: one for each client, a client's own.
	Links []link `json:"links,omitempty"`
	// Sent and Received count bytes of datagrams since the start.
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`

	// Clock is a client's clock, nil on a server.
	Clock *clock `json:"clock,omitempty"`
	// Predictions are a client's, nil on a server.
	Predictions *predictions `json:"predictions,omitempty"`

	// Snapshot of the world, for drawing.
	Snapshot snapshot `json:"picture"`
	// Digest is the hash of the world: a dump made now would have it.
	Digest string `json:"digest"`
	// Dumped is the hash of the dump that was ordered and is written by now.
	Dumped string `json:"dumped,omitempty"`

	// Ended is the reason why the process has ended; only in its last report.
	Ended string `json:"ended,omitempty"`
}

// link is one connection.
type link struct {
	Client entangle.ClientID `json:"client"`
	RTT    float64           `json:"rtt_ms"`
	Loss   float64           `json:"loss"`

	// Inputs counts the ticks of the client's inputs, as the server saw them.
	Inputs inputs `json:"inputs"`
}

// inputs counts a client's inputs, in ticks.
type inputs struct {
	// InTime arrived before their tick ran.
	InTime uint64 `json:"in_time"`
	// Missing did not.
	Missing uint64 `json:"missing"`
	// Late arrived after their tick had run, including those before the first in time.
	Late uint64 `json:"late"`
}

// clock is the state of a client's clock.
type clock struct {
	// Synced is true once it is synchronised with the server's.
	Synced bool `json:"synced"`
	// Lead is how many ticks it is ahead of the server's.
	Lead float64 `json:"lead"`
	// Speed is how fast it runs: 1 is as fast as the machine's.
	Speed float64 `json:"speed"`
}

// predictions is the result of a client's predictions.
type predictions struct {
	// Rollbacks is the number of rollbacks, and Replayed that of replayed ticks.
	Rollbacks uint64 `json:"rollbacks"`
	Replayed  uint64 `json:"replayed"`
	// Why are the reasons of the last rollbacks, oldest first.
	Why []string `json:"why,omitempty"`
}

// snapshot is a world in a few bytes. Places go from 0 to 255 over the field, so it can be drawn at any size.
type snapshot struct {
	// Dots holds four bytes for each dot: x, y, the hue of the box that alarms it, 255
	// for none, and its lot: where there is no room for all dots, those are drawn that have
	// the lowest, which are the same ones on all sides.
	Dots []byte `json:"dots"`
	// Boxes are the boxes in the order of their hues.
	Boxes []boxSnapshot `json:"boxes"`
	// Twins are the confirmed twins of predicted boxes.
	Twins []boxSnapshot `json:"twins,omitempty"`
}

// dots returns how many there are.
func (p *snapshot) dots() int { return len(p.Dots) / dotBytes }

type boxSnapshot struct {
	X     uint8             `json:"x"`
	Y     uint8             `json:"y"`
	Hue   uint8             `json:"hue"`
	Score uint32            `json:"score"`
	Owner entangle.ClientID `json:"owner"`
}

const (
	dotBytes = 4
	calmHue  = 255
)
