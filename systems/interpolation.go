package systems

// Interpolate shows a client's interpolated entities in the past, so far behind what has arrived that the
// values after the shown time are usually there (row S5 of docs/GUARANTEES.md).
//
// Client: changes of structure, and values that are not blended, are shown when the timeline of their entity
// reaches their tick: spawns, inserted and removed components, targets of relations, and ends, with their
// events (row N4). Then each component with protocol's Interpolate gets a value between the two samples
// around the shown time (rows N1 to N3). What arrived in this frame is in package sink already: it is the
// confirmed state, and the samples.
//
// The messages that wait are delivered after that: those registered with WhenShown once their tick is shown (row
// N14), and those that refer to entities once these have arrived.
//
// Then entities with components.Remote are assembled, if they have a blueprint of which the tick is shown
// (row T4).
//
// A server and a host interpolate nothing: what they have is the present.

// interpolate shows the interpolated entities, and delivers the messages of what is shown.
func (c *Client) interpolate() {
	c.Clock.Show(c.now, c.Applier.TakeLate())
	c.Applier.Interpolate()
	c.Prediction.AssembleRemote()
	c.Engine.DeliverHeld(c.now)
}
