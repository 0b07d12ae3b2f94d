package systems

// CheckRollback and Rollback bring a client's predicted entities to the present, before the
// ticks of the frame run. A server and a host predict nothing.
//
// Client: Check compares the confirmed state with what was predicted for the same tick, and
// looks for ticks that ran with another input of another player than is known by now, and for
// rollbacks that the game requested. It makes a plan of steps: usually none; else to restore a
// tick, to replay the ticks since with the inputs that are known by now, and to insert confirmed
// state of later ticks where they are reached (docs/STATES.md, "Prediction"; rows B2 to B12).
//
// A replay runs the stages of a tick without BufferInputs, with components.Time.Replaying
// set: it sends no messages and reads no events again (row B29).

// checkRollback decides whether to roll back, and to which tick.
func (c *Client) checkRollback() {
	c.Prediction.Check()
}

// rollBack does what Check has decided. Values that it corrects are reported to Display, which
// shows them gradually.
func (c *Client) rollBack() {
	c.Prediction.Rollback()
	c.AfterReplay()
}
