package systems

import (
	"errors"
	"time"

	"github.com/entangle-ecs/entangle"
)

// inputDown is the way of inputs from the server to a client: of what other players do.
type inputDown struct{}

var errNoRebroadcast = errors.New("systems: inputs of others, which nobody asked for")

// HandleFrame implements peer.Stream for a client.
func (inputDown) HandleFrame(entangle.Tick, []byte, time.Time) error { return errNoRebroadcast }

// AppendFrame implements peer.Stream for a server.
func (p *inputPlayer) AppendFrame(dst []byte, _ int, _ uint16, _ entangle.Tick, _ time.Time) []byte {
	return dst
}

// Urgent implements peer.Stream for a server.
func (p *inputPlayer) Urgent(time.Time) bool { return false }

// HandleAcked implements peer.Stream for a server.
func (p *inputPlayer) HandleAcked(uint16) {}

// HandleLost implements peer.Stream for a server.
func (p *inputPlayer) HandleLost(uint16) {}
