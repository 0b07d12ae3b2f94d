package input

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// inputDown receives the inputs of other players, which the server relays to a client.
type inputDown struct{ others *othersInputs }

// HandleFrame implements peer.Feed for a client.
func (d *inputDown) HandleFrame(tick entangle.Tick, body []byte, _ time.Time) error {
	return d.others.handle(tick, body)
}
