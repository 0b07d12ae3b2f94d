package main

import (
	"math"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many ticks per second both sides run.
	tickRate = 60

	// rowCount is the number of rows. The dots of row n have priority n. The tag of Dot repeats it.
	rowCount = 7

	// mostDots is the greatest number of dots in a row. The tags repeat it.
	mostDots = 160

	// turnPerTick is by how much every dot turns, in radians: once around in a second.
	turnPerTick = 2 * math.Pi / tickRate
)

// Dot identifies an entity by its row and its index in the row. It never changes, so it is sent
// once only.
type Dot struct {
	Row    uint8 `net:"range=1..7"`
	Number uint8 `net:"range=0..159"`
}

// Turn is the angle of a dot, in radians. It changes in every tick, so that every dot always has an
// update to send. It has no tag, so all its bits are sent: net:"angle" would need only 12 bits, and
// then the cap would be large enough for all updates.
type Turn struct{ Angle float32 }

// Rules are the options of a server. It sends them to its clients as a resource, so that they can
// compute the expected share of each row.
type Rules struct {
	// Dots is the number of dots in each row.
	Dots int `json:"dots" net:"range=1..160"`
	// Cap is the greatest number of bytes per second that are sent to a client; 0 means no cap.
	Cap int `json:"cap" net:"range=0..268435456"`
	// Within is how many ticks an update of row 1 may wait; 0 means no bound.
	Within int `json:"within" net:"range=0..600"`
}

// bound returns the MaxAge of a row's dots.
func (r Rules) bound(row int) int {
	if row == 1 {
		return r.Within
	}
	return 0
}

// turnBetween returns an angle between two, the short way around. It is a function of the game's own;
// protocol.Linear goes the short way around with fields that are tagged as angles.
func turnBetween(a, b Turn, t float64) Turn {
	return Turn{around(float64(a.Angle) + t*float64(around(float64(b.Angle-a.Angle))))}
}

// around removes whole turns from an angle, so that it stays exact.
func around(angle float64) float32 { return float32(math.Remainder(angle, 2*math.Pi)) }

// newProtocol registers all replicated types. Both sides call it, so that they agree. Clients predict
// nothing here. They interpolate the dots, see Replicate in server.go.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "priority", TickRate: tickRate})
	protocol.Component[Dot](p)
	protocol.Component[Turn](p).Interpolate(turnBetween)
	protocol.Component[components.Interpolated](p)
	protocol.Resource[Rules](p)
	return p
}
