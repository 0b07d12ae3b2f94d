package workload

// ReceiveEntities is how many entities the case receive has.
const ReceiveEntities = 1_000

// Position is the first component that changes in the case receive.
type Position struct {
	X, Y, Z float32 `net:"range=-512..512,step=0.01"`
}

// Rotation is the second component that changes in the case receive.
type Rotation struct {
	Q [4]float32 `net:"quat"`
}

// VisualEntities is how many entities the case interpolate/visual shows.
const VisualEntities = 1_000

// The components that the case interpolate/visual shows between two ticks.
type (
	VisualPosition struct{ X, Y, Z float32 }
	VisualAim      struct{ X, Y float32 }
	VisualRotation struct {
		Q [4]float32 `net:"quat"`
	}
)

// VisualPair is the component that is shown together with the position.
type VisualPair[B any] struct {
	At    func(v *B, i, tick int) // returns the value of entity i at a tick
	Mix   func(dst, a, b []B, t float32)
	Apart func(a, b B) float64
}

// The components of the entities that the cases about structure spawn and despawn, besides Pose.
type (
	Number struct{ Value uint64 }
	Block  struct{ Values [15]float32 } // 60 bytes
	Scalar struct{ Value float32 }
)

// The sizes of these components in bytes.
const (
	NumberSize = 8
	BlockSize  = 60
	ScalarSize = 4
)
