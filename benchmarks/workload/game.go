package workload

// TickRate is the rate of the games that players steer, in ticks per second.
const TickRate = 60

// Stick is the input of a player.
type Stick struct {
	X, Y float32 `net:"range=-1..1,step=0.01"`
	Fire bool    `net:"event"`
}

// Place is where the entity of a player, or one that rests, is.
type Place struct {
	X, Y, Z float32 `net:"range=-512..512,step=0.01"`
}
