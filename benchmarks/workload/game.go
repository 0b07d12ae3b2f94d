package workload

// TickRate is the rate of the games in which players send inputs, in ticks per second.
const TickRate = 60

// Stick is the input of a player.
type Stick struct {
	X, Y float32 `net:"range=-1..1,step=0.01"`
	Fire bool    `net:"event"`
}

// Place is the position of a player's entity, or of one that does not move.
type Place struct {
	X, Y, Z float32 `net:"range=-512..512,step=0.01"`
}
