package sender

// Stats counts what a sender did, since it was made.
type Stats struct {
	Updates       uint64 // records of values
	Actions       uint64 // records of structure, fulls and ends among them
	Bodies        uint64 // encoded; what is above it was shared
	Resyncs       uint64 // groups sent in full because a peer asked
	Resent        uint64 // groups due again because a packet was presumed lost
	GroupsRefused uint64 // entities not replicated: no handle was left
	TooLarge      uint64 // records over repl.MaxGroupBytes, not sent
}

// Stats returns the counters.
func (w *World) Stats() Stats { return w.stats }
