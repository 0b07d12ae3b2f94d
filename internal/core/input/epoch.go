package input

// Epoch counts the jumps back of a player's clock, round and round. Inputs of a newer epoch
// take the place of those that still wait.
type Epoch uint8

const (
	epochBits = 3
	epochs    = 1<<epochBits - 1
)

// newer reports whether e is one to three jumps after f. Other distances are of the past.
func (e Epoch) newer(f Epoch) bool {
	d := (e - f) & epochs
	return d > 0 && d <= epochs/2
}
