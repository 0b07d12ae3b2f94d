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
	Dangling  uint64 // references to entities that this side does not have
	Uncoded   uint64 // frames of which the rest was dropped: written with codes that are kept no more
	Abandoned uint64 // entities that left a group and that no other took in time
}

// Stats returns the counters.
func (r *Receiver) Stats() Stats { return r.stats }

// MaxWaitingBytes bounds WaitingBytes.
const MaxWaitingBytes = maxWaitingBytes

// WaitingBytes returns the size of the records that wait for one before them; at
// most MaxWaitingBytes.
func (r *Receiver) WaitingBytes() int { return r.waiting.bytes }
