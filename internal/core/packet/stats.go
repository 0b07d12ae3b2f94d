package packet

// Stats counts packets since the connection began.
type Stats struct {
	Sent     uint64 // data packets
	Acked    uint64 // ids that were acknowledged in time
	Lost     uint64 // ids that counted as lost
	Spurious uint64 // ids acknowledged after they had counted as lost

	Received   uint64 // data packets received for the first time
	Duplicates uint64 // data packets that had been received before
	TooOld     uint64 // data packets too old to be acknowledged
	BadAcks    uint64 // acknowledgements of ids that were never sent
}

// Stats returns the counters.
func (t *Tracker) Stats() Stats { return t.stats }

// InFlight returns how many ids have no verdict yet.
func (t *Tracker) InFlight() int {
	return int(t.stats.Sent - t.stats.Acked - t.stats.Lost)
}

// LossRate estimates the share of sent packets that are lost, from 0 to 1, over about the last 64
// verdicts.
func (t *Tracker) LossRate() float64 { return t.loss.rate }

// lossSpan is the number of verdicts that LossRate covers: about a second at 60 packets per second.
const lossSpan = 64

// lossRate is the average of the verdicts up to the first lossSpan of them, and then a moving
// average.
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
