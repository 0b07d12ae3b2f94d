package systems

// CheckRollback and Rollback bring a client's predicted entities to the present, before the
// ticks of the frame run. A server and a host predict nothing.
//
// Client: Check compares the confirmed state with what was predicted for the same tick, and looks
// for ticks that ran with a guessed input of another player which has turned out to be wrong, and
// for rollbacks that the game requested. It makes a plan of steps, which the Prediction keeps for
// Rollback. Usually nothing was mispredicted, and the plan has no tick. Otherwise Rollback restores
// a tick, replays the ticks since with the inputs that are known by now, and inserts the confirmed
// state of each of those ticks at its end (docs/STATES.md, "Prediction in a frame"; rows B2 to
// B12).
//
// A replay runs the stages of a tick without FixedInput, with components.Time.Replaying set: in a
// replay, messages are not sent again and events are not read again (row B29).

// checkRollback makes the plan of this frame.
func (c *Client) checkRollback() {
	c.Prediction.Check()
}

// rollBack carries out the plan. Corrected values are raised as events (plugin.ComponentCorrected), and Display
// learns that there are some, so that painters show them gradually.
func (c *Client) rollBack() {
	c.Prediction.Rollback()
	c.AfterReplay()
}
