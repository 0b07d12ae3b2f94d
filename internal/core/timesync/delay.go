package timesync

// MaxDelay bounds the input delay, in ticks: what arrives so early still finds room at a
// server.
const MaxDelay = 48

// Delay is how many ticks after an input is made it acts. A client needs to be ahead of
// the server by so much less.
type Delay struct {
	// Min is the delay in ticks, 0 to MaxDelay; the least one if Max is more.
	Min int
	// Max makes the delay adaptive, if it is more than Min: as long as the way to the
	// server and back takes, and Max at most.
	Max int
	// MaxPredicted is how many ticks may be predicted, if it is more than 0. What would
	// be beyond is delay, also above Max.
	MaxPredicted int
}

// bounded returns d with what cannot be brought to what can.
func (d Delay) bounded() Delay {
	d.Min = min(max(d.Min, 0), MaxDelay)
	d.Max = min(max(d.Max, d.Min), MaxDelay)
	d.MaxPredicted = max(d.MaxPredicted, 0)
	return d
}

// covering returns the delay for a way to the server and back, in ticks.
func (d Delay) covering(way int) int {
	delay := min(max(way, d.Min), d.Max)
	if d.MaxPredicted > 0 {
		delay = max(delay, way-d.MaxPredicted)
	}
	return min(delay, MaxDelay)
}

// delay is the input delay in effect, and the one to be.
type delay struct {
	of     Delay
	now    int
	wanted int
	fresh  bool // of is new
	since  Phase
}

func (d *delay) set(of Delay) {
	d.of, d.fresh = of.bounded(), true
}

// choose finds the delay to be for a way, at the local time at. One that is too long is
// kept for a while, since each change is felt.
func (d *delay) choose(at, way, pause Phase) {
	least, most := d.of.covering(ceil(way)), d.of.covering(ceil(way+One))
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
