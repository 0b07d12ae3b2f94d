package sender

import "github.com/entangle-ecs/entangle"

// Changes of structure of predicted entities hold up the confirmed tick just like values, and a
// lost packet is resent only after a round trip and a half. So small messages with such changes are
// repeated, too, in ticks when no other structure is sent: always whole.

// maxAgain is the longest message that is repeated, in bytes.
const maxAgain = 300

// again is the action messages in flight that are to be repeated.
type again struct {
	last  entangle.Tick // when it was sent last
	left  uint8         // repeats left
	hasty bool          // it contains entities that the peer predicts, or is to predict
}

// weigh decides whether the last message, of that many bytes, is to be repeated.
func (p *Peer) weigh(bytes int) {
	if m := p.actions.last(); m.again.hasty && bytes <= maxAgain {
		m.again.last, m.again.left = p.world.tick, maxRepeats
	}
}

// PollAgain returns the name of a message to be sent once more, although it may still arrive. It is
// not ok when there is none in this tick.
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
