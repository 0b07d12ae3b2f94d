package systems

// Jumped takes note that the clock was set, before anything of the frame runs. The ticks that
// it went past are computed in this frame's Rollback, as the server computed them: with what
// the players did last. One that was set back finds what it was then.
func (p *Prediction) Jumped() { p.jumped = true }
