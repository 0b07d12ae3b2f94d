package packet

// Stats counts packets since the connection began.
type Stats struct {
	Sent     uint64 // data packets that took an id
	Acked    uint64 // ids with the verdict acknowledged
	Lost     uint64 // ids with the verdict lost
	Spurious uint64 // ids acknowledged after they were lost

	Received   uint64 // fresh data packets
	Duplicates uint64 // data packets that had been received before
	TooOld     uint64 // data packets older than the window
	BadAcks    uint64 // acknowledgements of ids that were never sent
}

// Stats returns the counters.
func (t *Tracker) Stats() Stats { return t.stats }

// InFlight returns how many ids have no verdict yet.
func (t *Tracker) InFlight() int {
	return int(t.stats.Sent - t.stats.Acked - t.stats.Lost)
}

// LossRate estimates the share of sent packets that are lost, 0 to 1, over about
// the last lossSpan verdicts.
func (t *Tracker) LossRate() float64 { return t.loss.rate }

// lossSpan is about a second at 60 packets per second.
const lossSpan = 64

// lossRate is the average of the first lossSpan verdicts, then a moving average.
type lossRate struct {
	rate  float64
	count float64
}

func (l *lossRate) addSample(lost bool) {
	l.count = min(l.count+1, lossSpan)
	verdict := 0.0
	if lost {
		verdict = 1
	}
	l.rate += (verdict - l.rate) / l.count
}
