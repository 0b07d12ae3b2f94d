package systems

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// inputDown is the way of inputs from the server to a client: of what other players do.
type inputDown struct{ others *othersInputs }

// HandleFrame implements peer.Stream for a client.
func (d *inputDown) HandleFrame(tick entangle.Tick, body []byte, _ time.Time) error {
	return d.others.handle(tick, body)
}

// AppendFrame implements peer.Stream for a server.
func (p *inputPlayer) AppendFrame(dst []byte, room int, _ uint16, tick entangle.Tick, _ time.Time) []byte {
	return p.line.append(dst, room, tick)
}

// Urgent implements peer.Stream for a server.
func (p *inputPlayer) Urgent(time.Time) bool { return p.line.waits() }

// HandleAcked implements peer.Stream for a server: what is passed on is said several times,
// whatever arrives.
func (p *inputPlayer) HandleAcked(uint16) {}

// HandleLost implements peer.Stream for a server.
func (p *inputPlayer) HandleLost(uint16) {}
