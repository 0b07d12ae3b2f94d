package receiver

// Stats counts what a receiver made of the records it got.
type Stats struct {
	Updates   uint64 // applied
	Actions   uint64 // applied, fulls and ends among them
	Stale     uint64 // dropped: the copy is past them, or the group is no more
	Waited    uint64 // held back until something before them arrives
	Replaced  uint64 // waiting updates dropped for a newer one that serves as well
	Resyncs   uint64 // times that a group could not be followed
	Overflow  uint64 // records dropped because too much waited already
	Passed    uint64 // of these, actions: their groups were asked for in full
	Misfits   uint64 // updates dropped because their differences do not fit what the copy holds
	Dangling  uint64 // references to entities that this side does not have
	Abandoned uint64 // entities that left a group and that no other took in time
}

// Plus returns the sums of two counts.
func (s Stats) Plus(o Stats) Stats {
	return Stats{
		Updates: s.Updates + o.Updates, Actions: s.Actions + o.Actions, Stale: s.Stale + o.Stale,
		Waited: s.Waited + o.Waited, Replaced: s.Replaced + o.Replaced, Resyncs: s.Resyncs + o.Resyncs,
		Overflow: s.Overflow + o.Overflow, Passed: s.Passed + o.Passed, Misfits: s.Misfits + o.Misfits, Dangling: s.Dangling + o.Dangling,
		Abandoned: s.Abandoned + o.Abandoned,
	}
}

// Stats returns the counters.
func (r *Receiver) Stats() Stats { return r.stats }

// WaitingBytes returns the size of the records that wait for one before them; at
// most what LimitWaiting says.
func (r *Receiver) WaitingBytes() int { return r.waiting.bytes }
