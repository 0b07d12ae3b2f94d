package main

// expected returns the share that each row should have of the updates that came.
//
// Under a cap row n has priority n, so it gets n of 1+2+...+7 parts. Without a cap
// every dot is sent in every tick, and all rows get the same.
func (t *tally) expected() (shares [rowCount]float64) {
	parts := 0.0
	for i := range shares {
		shares[i] = 1
		if t.rules.Cap > 0 {
			shares[i] = float64(i + 1)
		}
		parts += shares[i]
	}
	for i := range shares {
		shares[i] /= parts
	}
	return t.withBound(shares)
}

// withBound gives row 1 what its bound asks for, if that is more, and the other rows
// what is left: those divide it as before.
func (t *tally) withBound(shares [rowCount]float64) [rowCount]float64 {
	needs := t.boundNeeds()
	if needs <= shares[0] {
		return shares
	}
	left := (1 - needs) / (1 - shares[0])
	shares[0] = needs
	for i := 1; i < rowCount; i++ {
		shares[i] *= left
	}
	return shares
}

// boundNeeds is the share of all updates that row 1 needs to keep its bound: a dot's
// next update is due a tick after the last, and may wait for so many more. If that is more
// than half, the server sends them ahead, to be sure: then it is what they got.
func (t *tally) boundNeeds() float64 {
	if t.rules.Cap == 0 || t.rules.Within == 0 {
		return 0
	}
	perTick := float64(t.rules.Dots) / float64(t.rules.Within+1) * (1 - t.loss)
	needs := min(1, ratio(perTick*t.ticks(), float64(t.updates)))
	if needs > 0.5 {
		needs = max(needs, t.share(0))
	}
	return needs
}
