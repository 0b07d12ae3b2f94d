package input

// Epoch counts the jumps back of a player's clock, modulo its range. Inputs of a newer epoch
// replace inputs of earlier epochs that have not acted yet.
type Epoch uint8

const (
	epochBits = 3
	epochs    = 1<<epochBits - 1
)

// newer reports whether e is one to three jumps after f. At any other distance, e counts as older.
func (e Epoch) newer(f Epoch) bool {
	d := (e - f) & epochs
	return d > 0 && d <= epochs/2
}
