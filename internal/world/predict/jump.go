package predict

import (
	"github.com/entangle-ecs/entangle"
)

// Jumped takes note that the clock was set, and where it was, before anything of the frame
// runs. The ticks that it went past are computed in this frame's Rollback, as the server
// computed them: with what the players did last. One that was set back finds what it was then.
func (p *Prediction) Jumped(from entangle.Tick) {
	if !p.jumped {
		p.jumped, p.ran = true, from
	}
}

// begun returns the newest tick from one to the present that has run here, whether it came to
// its end or not.
func (p *Prediction) begun(from entangle.Tick) entangle.Tick {
	now := p.present()
	switch {
	case now.Before(p.ran):
		return now
	case p.ran.Before(from):
		return from
	}
	return p.ran
}
