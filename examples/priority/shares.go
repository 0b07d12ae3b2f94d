package main

// expected returns the share that each row should have of the received updates.
//
// Under a cap row n has priority n, so it gets n of 1+2+...+7 parts. Without a cap every dot is
// sent in every tick, and all rows get the same share.
func (t *counts) expected() (shares [rowCount]float64) {
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

// withBound raises the share of row 1 to the one that its bound requires, if that is more, and
// reduces the shares of the other rows in proportion.
func (t *counts) withBound(shares [rowCount]float64) [rowCount]float64 {
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

// boundNeeds returns the share of all updates that row 1 needs to keep its bound: a dot's next
// update is due a tick after the last one, and may wait for the given number of ticks. If that
// share is more than half, the server sends the updates of row 1 early to be safe. Then the result
// is the share that row 1 really got.
func (t *counts) boundNeeds() float64 {
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
