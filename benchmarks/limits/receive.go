package limits

import (
	"math"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ReceiveLimit is two columns by group. It reads the same bits as our side, and refuses bits that
// no sender writes, because they come from a peer. It knows the two types that change. It assumes
// that groups are public and hold one entity each, and that the groups of a run are equal: their
// number and their prefix are sent once, before all values. It does not track ticks, actions, or
// the existing entities.
type ReceiveLimit struct {
	Positions []workload.Position
	Rotations []workload.Rotation
}

func NewReceiveLimit() *ReceiveLimit {
	return &ReceiveLimit{
		Positions: make([]workload.Position, workload.ReceiveEntities),
		Rotations: make([]workload.Rotation, workload.ReceiveEntities),
	}
}

// The set of components that changed: the last two, in the order of their names.
const (
	receiveSet     = 0b110
	receiveSetBits = 3
)

func (l *ReceiveLimit) Apply(frame []byte) bool {
	var in bits.Reader
	in.Reset(frame)
	for in.RemainingBits() > 0 {
		first, count, ok := runHead(&in)
		if !ok || !l.readRun(&in, first, count) {
			return false
		}
	}
	return true
}

// runHead reads a run up to its values, and returns its first group and the number of groups.
func runHead(in *bits.Reader) (group, count uint64, ok bool) {
	mark, private := in.Bool(), in.Bool()
	group = in.Uvarint()
	age, alone := in.Uvarint(), in.Bool() // without a previous baseline
	in.Align()
	plain := in.Bool()
	count = in.Uvarint() + 1
	gaps := in.Bool()
	return group, count, !mark && !private && age == 1 && alone && plain && !gaps && in.Bits(receiveSetBits) == receiveSet
}

// readRun reads the values of a run. It reads a rotation together with the bits after it.
func (l *ReceiveLimit) readRun(in *bits.Reader, first, count uint64) bool {
	end := first + count
	if end < first || end > uint64(len(l.Positions)) || end > uint64(len(l.Rotations)) {
		return false
	}
	positions, rotations := l.Positions[first:end], l.Rotations[first:end]
	for i := range positions {
		position := in.Peek()
		in.Skip(51)
		rotation := in.Peek()
		in.Skip(29)
		if !setPosition(&positions[i], position) || !setRotation(&rotations[i].Q, rotation) {
			return false
		}
	}
	return !in.Bool() && endOf(in)
}

// endOf skips to the next whole byte, where a run ends.
func endOf(in *bits.Reader) bool {
	in.Align()
	return in.Err() == nil
}

func setPosition(p *workload.Position, code uint64) bool {
	x, y, z := code&(1<<17-1), code>>17&(1<<17-1), code>>34&(1<<17-1)
	if max(x, y, z) > 102400 {
		return false
	}
	*p = workload.Position{X: fromCoordinate(x), Y: fromCoordinate(y), Z: fromCoordinate(z)}
	return true
}

func fromCoordinate(v uint64) float32 { return float32(float64(int64(v)-51200) * 0.01) }

// receiveQuatStep is the step of a quaternion's component on the wire, and receiveQuatSquare is its
// square.
const (
	receiveQuatStep   = 1 / (255 * math.Sqrt2)
	receiveQuatSquare = 1.0 / (2 * 255 * 255)
)

// setRotation is the inverse of rotation.
func setRotation(q *[4]float32, code uint64) bool {
	largest := code & 3
	a, b, c := int64(code>>2&511)-255, int64(code>>11&511)-255, int64(code>>20&511)-255
	aa, bb, cc := a*a, b*b, c*c
	sum := aa + bb + cc
	if sum+max(aa, bb, cc) > 2*255*255-1 {
		return false
	}
	q[largest] = float32(math.Sqrt(1 - float64(float64(sum)*receiveQuatSquare)))
	q[(largest+1)&3] = float32(float64(a) * receiveQuatStep)
	q[(largest+2)&3] = float32(float64(b) * receiveQuatStep)
	q[(largest+3)&3] = float32(float64(c) * receiveQuatStep)
	return true
}
