package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// ScreenView is what the screen of one player showed when it made the input of a tick.
type ScreenView struct {
	*rewind.View
	Clamped  bool // a time that the client claimed was not possible
	Repeated bool // the input did not arrive: it is what the screen would have shown
	Present  bool // the view is the present: its player is shown no past, or there is none
}

// playerView is the ScreenView of the last tick of which one was asked for.
type playerView struct {
	view   rewind.View
	seen   input.Seen
	tick   entangle.Tick
	known  bool
	result ScreenView
}

// maxRepeated is for how many ticks without an input a screen is taken to have gone on.
const maxRepeated = 16

// View returns what the screen of the player that drives an entity showed when it made the input that acts
// on the entity in the tick that runs now. Of an entity without a client it is the present.
func (i *Inputs) View(r *source.Rewind, e ecs.Entity) ScreenView {
	if i.Received == nil {
		return ScreenView{Present: true}
	}
	now := i.Received.tick
	p := i.Received.playerOf(e)
	if p == nil || !r.Compensates() || p.received() == nil {
		return ScreenView{View: r.Present(now), Present: true}
	}
	v := &p.rewound
	if v.known && v.tick == now {
		return v.result
	}
	v.known, v.tick = true, now
	seen, repeated, ok := p.seen.Find(now, maxRepeated)
	if !ok {
		r.PresentOf(&v.view, p.Peer.Replication(), now)
		v.result = ScreenView{View: &v.view, Present: true}
		return v.result
	}
	v.seen = seen
	clamped := r.View(&v.view, p.id, p.Peer.Replication(), &v.seen, now)
	if repeated {
		r.Stats().Repeated++
	}
	v.result = ScreenView{View: &v.view, Clamped: clamped, Repeated: repeated}
	return v.result
}

// Tick returns the last tick for which the inputs of clients were set; 0 on a client.
func (i *Inputs) Tick() entangle.Tick {
	if i.Received == nil {
		return 0
	}
	return i.Received.tick
}

// playerOf returns the client that drives an entity, nil if none does.
func (c *ReceivedInputs) playerOf(e ecs.Entity) *InputPlayer {
	for k := range c.kinds {
		if stream := c.kinds[k].streams[e]; stream != nil && stream.status != event.NoInput {
			return stream.player
		}
	}
	return nil
}

// received returns what the client has received, nil if that is not recorded.
func (p *InputPlayer) received() *rewind.Received {
	if to := p.Peer.Replication(); to != nil {
		return to.Received()
	}
	return nil
}
