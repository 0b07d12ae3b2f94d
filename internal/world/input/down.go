package input

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// inputDown receives the inputs of other players, which the server relays to a client.
type inputDown struct{ others *othersInputs }

// HandleFrame implements peer.Stream for a client.
func (d *inputDown) HandleFrame(tick entangle.Tick, body []byte, _ time.Time) error {
	return d.others.handle(tick, body)
}

// AppendFrame implements peer.Stream for a server.
func (p *InputPlayer) AppendFrame(dst []byte, room int, _ uint16, tick entangle.Tick, _ time.Time) []byte {
	return p.Line.appendFrame(dst, room, tick)
}

// Urgent implements peer.Stream for a server.
func (p *InputPlayer) Urgent(time.Time) bool { return p.Line.waits() }

// HandleAcked implements peer.Stream for a server. It does nothing: relayed inputs are sent several
// times, whether or not they arrive.
func (p *InputPlayer) HandleAcked(uint16) {}

// HandleLost implements peer.Stream for a server.
func (p *InputPlayer) HandleLost(uint16) {}
