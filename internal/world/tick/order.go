package tick

// Stage is a place in a frame: its index in Order.Names.
type Stage uint8

// Order describes the frames that a Schedule runs.
type Order struct {
	// Names of the stages, in the order in which a frame runs them.
	Names []string

	// Predicting, Simulating, Sending and Showing are the first stages of these parts of a frame;
	// the stages before them are Receiving. The stages of Simulating are those of a tick: they run
	// as a block, once per tick of the frame.
	Predicting, Simulating, Sending, Showing Stage

	// FixedInput is the stage of a tick that Schedule.Replay leaves out.
	FixedInput Stage
	// Main is the stage that strict mode watches.
	Main Stage
}

// stageCount returns the number of stages.
func (o *Order) stageCount() Stage { return Stage(len(o.Names)) }
