package predict

// Rounds reports whether there are components to round.
func (p *Prediction) Rounds() bool { return p.rounding.Any() }

// Round rounds what is predicted. What the tick has hung on something is followed first: after
// a settling it would count as there before the tick.
func (p *Prediction) Round() {
	p.Follow()
	p.Settle()
	p.rounding.Round(p.table)
}
