package main

import "github.com/entangle-ecs/entangle"

// order is an order to a process: one line of JSON on its standard input. Every field is optional.
type order struct {
	// Settings is the first order to a process that receives its orders over a pipe.
	Settings *settings `json:"settings,omitempty"`
	// Steer steers the client's box in place of the bot.
	Steer *Steer `json:"steer,omitempty"`
	// Bot lets the bot steer again.
	Bot bool `json:"bot,omitempty"`
	// Still stops the server's world, or lets it continue.
	Still *bool `json:"still,omitempty"`
	// Interpolate makes the clients interpolate what they do not predict, or show it as it arrives.
	Interpolate *bool `json:"interpolate,omitempty"`
	// Line makes a client's line better or worse.
	Line *quality `json:"line,omitempty"`
	// Dump makes the process write a dump of the world to a file with this name.
	Dump string `json:"dump,omitempty"`
	// Spoil makes it change one value of the world before that.
	Spoil bool `json:"spoil,omitempty"`
}

// report is a report from a process: one line of JSON on its standard output, twenty times per
// second.
type report struct {
	// Side is the number of the reporting side: 0 for the server; clients are numbered from 1.
	Side int `json:"side"`
	// Addr is the address at which a server listens.
	Addr string `json:"addr,omitempty"`
	// State is the state of a client's connection, or of a server.
	State string `json:"state"`

	Tick     entangle.Tick `json:"tick"`
	Entities int           `json:"entities"`
	Still    bool          `json:"still,omitempty"`
	Eaten    int           `json:"eaten,omitempty"`

	// Links are the connections: a server's to all clients, or a client's own.
	Links []link `json:"links,omitempty"`
	// Sent and Received count bytes of datagrams since the start.
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`

	// Clock is a client's clock, nil on a server.
	Clock *clock `json:"clock,omitempty"`
	// Predictions are the results of a client's predictions, nil on a server.
	Predictions *predictions `json:"predictions,omitempty"`

	// Snapshot is the world, for drawing.
	Snapshot snapshot `json:"picture"`
	// Digest is the hash of the world. A dump that is made now would have this hash.
	Digest string `json:"digest"`
	// Dumped is the hash of the dump that was ordered, once it is written.
	Dumped string `json:"dumped,omitempty"`

	// Ended is the reason why the process has ended. It is set only in its last report.
	Ended string `json:"ended,omitempty"`
}

// link is one connection.
type link struct {
	Client entangle.ClientID `json:"client"`
	RTT    float64           `json:"rtt_ms"`
	Loss   float64           `json:"loss"`

	// Inputs counts the ticks of the client's inputs, as recorded by the server.
	Inputs inputs `json:"inputs"`
}

// inputs counts a client's inputs, in ticks.
type inputs struct {
	// InTime counts inputs that arrived before their tick ran.
	InTime uint64 `json:"in_time"`
	// Missing counts inputs that did not.
	Missing uint64 `json:"missing"`
	// Late counts inputs that arrived after their tick had run, including those before the first
	// input that was in time.
	Late uint64 `json:"late"`
}

// clock is the state of a client's clock.
type clock struct {
	// Synced is true once the clock is synchronised with the server's.
	Synced bool `json:"synced"`
	// Lead is by how many ticks the clock is ahead of the server's.
	Lead float64 `json:"lead"`
	// Speed is the speed of the clock; 1 is the speed of the machine's clock.
	Speed float64 `json:"speed"`
}

// predictions is the result of a client's predictions.
type predictions struct {
	// Rollbacks is the number of rollbacks, and Replayed is the number of replayed ticks.
	Rollbacks uint64 `json:"rollbacks"`
	Replayed  uint64 `json:"replayed"`
	// Why lists the reasons of the last rollbacks, oldest first.
	Why []string `json:"why,omitempty"`
}

// snapshot is a world in a few bytes. Coordinates go from 0 to 255 over the field, so that it can
// be drawn at any size.
type snapshot struct {
	// Dots holds four bytes for each dot: x, y, the hue of the box that alarms it (255 for none),
	// and its lot. If not all dots can be drawn, those with the lowest lots are drawn, which are
	// the same dots on all sides.
	Dots []byte `json:"dots"`
	// Boxes are the boxes in the order of their hues.
	Boxes []boxSnapshot `json:"boxes"`
	// Twins are the confirmed twins of predicted boxes.
	Twins []boxSnapshot `json:"twins,omitempty"`
}

// dots returns the number of dots.
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
