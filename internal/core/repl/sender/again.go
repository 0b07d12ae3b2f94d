package sender

import "github.com/entangle-ecs/entangle"

// Structure of what a peer predicts holds up the settled tick as values do, and where packets
// are lost it is a round trip and a half until it is sent again. So small messages of it are
// repeated, too, in ticks when nothing else of structure is sent: they are repeated whole.

// maxAgain is the longest message that is repeated, in bytes.
const maxAgain = 300

// again is which of the action messages under way are to be repeated.
type again struct {
	last  entangle.Tick // when it was sent last
	left  uint8         // how often it is to be repeated yet
	hasty bool          // it holds something that the peer predicts, or is to
}

// weigh decides whether the last message, of so many bytes, is to be repeated.
func (p *Peer) weigh(bytes int) {
	if m := p.actions.last(); m.again.hasty && bytes <= maxAgain {
		m.again.last, m.again.left = p.world.tick, maxRepeats
	}
}

// PollAgain returns the name of a message that is to be sent once more though it may arrive
// yet. It is not ok when there is none in this tick.
func (p *Peer) PollAgain() (message uint16, ok bool) {
	if !p.lossy() {
		return 0, false
	}
	for i := range p.actions.messages {
		m := &p.actions.messages[i]
		if a := &m.again; a.left > 0 && p.world.tick.Sub(a.last) >= 1<<(maxRepeats-a.left) {
			a.left--
			a.last = p.world.tick
			return m.name, true
		}
	}
	return 0, false
}
