package timesync

// MaxDelay is the greatest input delay, in ticks. An input that arrives this early still fits into
// the server's buffer.
const MaxDelay = 48

// Delay configures how many ticks after it was made an input takes effect. The client's lead over
// the server can be shorter by as many ticks.
type Delay struct {
	// Min is the least delay in ticks, 0 to MaxDelay.
	Min int
	// Max makes the delay adaptive if it is more than Min: the delay is then as long as a round
	// trip takes, but at most Max.
	Max int
	// MaxPredicted limits how many ticks may be predicted, if it is more than 0. The delay covers
	// the rest of the round trip, even if it has to exceed Max for that.
	MaxPredicted int
}

// bounded returns d with invalid values replaced by the nearest valid ones.
func (d Delay) bounded() Delay {
	d.Min = min(max(d.Min, 0), MaxDelay)
	d.Max = min(max(d.Max, d.Min), MaxDelay)
	d.MaxPredicted = max(d.MaxPredicted, 0)
	return d
}

// covering returns the delay for a round trip of so many ticks.
func (d Delay) covering(roundTrip int) int {
	delay := min(max(roundTrip, d.Min), d.Max)
	if d.MaxPredicted > 0 {
		delay = max(delay, roundTrip-d.MaxPredicted)
	}
	return min(delay, MaxDelay)
}

// delay is the input delay in effect, and the one that it changes to.
type delay struct {
	of     Delay
	now    int   // in effect, in ticks
	wanted int   // in effect as soon as possible
	fresh  bool  // the configuration has changed, and wanted not yet
	since  Phase // local time of the last change of wanted
}

func (d *delay) change(of Delay) {
	d.of, d.fresh = of.bounded(), true
}

// choose computes the wanted delay from the round trip, at local time at. After a change, the delay
// is kept for a while, because players feel each change; and it is shortened only if a round trip
// that is one tick longer would not need it.
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
