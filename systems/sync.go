package systems

import "github.com/entangle-ecs/entangle"

// Sync steers a client's clock. A client has to be ahead of the server by the time that its inputs
// need to arrive. Its clock runs up to 5 % faster or slower until that is so, and jumps if the
// difference is large (docs/STATES.md, "The clock"; rows S1 to S6). A server's clock, and a host's,
// is never adjusted.

// endTicks runs in BeforeSend, after the ticks of the frame, and records the time at which they
// have run.
func (c *Client) endTicks() {
	c.Clock.Ran(c.now)
	c.Unsent.Check()
}

// adjustClock sets how fast the next frame's ticks run, and whether the tick jumps before them.
func (c *Client) adjustClock() {
	c.Clock.Adjust(c.now)
}

// jump notifies the inputs and the prediction, which keep data by tick, that the next frame does not
// begin with the tick after the last one. It runs before any stage of that frame.
func (c *Client) jump(from, to entangle.Tick) {
	c.Inputs.Jump(to.Sub(from))
	c.Prediction.Jumped(from)
}
