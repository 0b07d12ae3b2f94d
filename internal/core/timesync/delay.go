package timesync

// MaxDelay is the greatest input delay, in ticks: an input that arrives so early still fits
// into the server's buffer.
const MaxDelay = 48

// Delay is how many ticks after it was made an input takes effect. The client's lead over the
// server can be shorter by as much.
type Delay struct {
	// Min is the delay in ticks, 0 to MaxDelay; the least one if Max is more.
	Min int
	// Max makes the delay adaptive, if it is more than Min: as long as a round trip takes,
	// and at most Max.
	Max int
	// MaxPredicted is how many ticks may be predicted, if it is more than 0. The delay
	// covers the rest, even beyond Max.
	MaxPredicted int
}

// bounded returns d with invalid values replaced by the nearest valid ones.
func (d Delay) bounded() Delay {
	d.Min = min(max(d.Min, 0), MaxDelay)
	d.Max = min(max(d.Max, d.Min), MaxDelay)
	d.MaxPredicted = max(d.MaxPredicted, 0)
	return d
}

// covering returns the delay for a round trip, in ticks.
func (d Delay) covering(roundTrip int) int {
	delay := min(max(roundTrip, d.Min), d.Max)
	if d.MaxPredicted > 0 {
		delay = max(delay, roundTrip-d.MaxPredicted)
	}
	return min(delay, MaxDelay)
}

// delay is the input delay in effect, and the next one.
type delay struct {
	of     Delay
	now    int
	wanted int
	fresh  bool // of has changed
	since  Phase
}

func (d *delay) change(of Delay) {
	d.of, d.fresh = of.bounded(), true
}

// choose computes the next delay from the round trip at the local time at. A delay that is too
// long is kept for a while, because players feel each change.
func (d *delay) choose(at, roundTrip, pause Phase) {
	least, most := d.of.covering(ceil(roundTrip)), d.of.covering(ceil(roundTrip+One))
	switch {
	case d.fresh:
		d.wanted, d.fresh, d.since = least, false, at
	case at-d.since < pause:
	case least > d.wanted:
		d.wanted, d.since = least, at
	case most < d.wanted:
		d.wanted, d.since = most, at
	}
}

func ceil(p Phase) int { return int(min(max((p+One-1)>>16, 0), 1<<20)) }
