package main

import (
	"math"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// receiveLimit is two columns by group. It reads the same bits, and refuses what
// could not have been written: these are a peer's bytes. It knows the two types
// that change, that groups hold one entity each, and that in a frame every record
// but the first follows the one before: its head is then a constant. It keeps no
// account of ticks, actions, or who is there.
type receiveLimit struct {
	positions []receivePosition
	rotations []receiveRotation
}

func newReceiveLimit() *receiveLimit {
	return &receiveLimit{
		positions: make([]receivePosition, receiveEntities),
		rotations: make([]receiveRotation, receiveEntities),
	}
}

// The head of a record that is not the first: there is one; the next group; no
// action since the first; the base of the record before; no references; one
// member; of the components, which stand in the order of their names, the last two.
const (
	receiveHead     = 1 | 0<<1 | 0<<5 | 1<<8 | 0<<9 | 1<<10 | 0b110<<11
	receiveHeadBits = 14
	receiveBits     = 51 + 29 // of the two values
)

func (l *receiveLimit) apply(frame []byte) bool {
	var in bits.Reader
	in.Reset(frame)
	group, ok := firstHead(&in)
	if !ok || !l.read(&in, group) {
		return false
	}
	for in.RemainingBits() >= receiveHeadBits+receiveBits {
		group++
		if in.Bits(receiveHeadBits) != receiveHead || !l.read(&in, group) {
			return false
		}
	}
	return in.Bits(1) == 0 && in.End() == nil
}

// firstHead reads the head of a frame's first record, which says the group and the
// base.
func firstHead(in *bits.Reader) (group uint64, ok bool) {
	some := in.Bool()
	group = in.Uvarint()
	sequence, same := in.Bits(3), in.Bool()
	age := in.Uvarint()
	return group, some && sequence == 0 && !same && age == 1 && in.Bits(5) == 0b11010
}

func (l *receiveLimit) read(in *bits.Reader, group uint64) bool {
	if group >= uint64(len(l.positions)) || group >= uint64(len(l.rotations)) {
		return false
	}
	code := in.Bits(51)
	x, y, z := code&(1<<17-1), code>>17&(1<<17-1), code>>34
	if max(x, y, z) > 102400 {
		return false
	}
	l.positions[group] = receivePosition{fromCoordinate(x), fromCoordinate(y), fromCoordinate(z)}
	return setRotation(&l.rotations[group].Q, in.Bits(29))
}

func fromCoordinate(v uint64) float32 { return float32(float64(int64(v)-51200) * 0.01) }

// setRotation is the inverse of rotation.
func setRotation(q *[4]float32, code uint64) bool {
	largest := code & 3
	a, b, c := int64(code>>2&511)-255, int64(code>>11&511)-255, int64(code>>20&511)-255
	aa, bb, cc := a*a, b*b, c*c
	if aa+bb+cc+max(aa, bb, cc) > 2*255*255-1 {
		return false
	}
	x, y, z := float64(a)*receiveQuatStep, float64(b)*receiveQuatStep, float64(c)*receiveQuatStep
	q[largest] = float32(math.Sqrt(1 - float64(x*x) - float64(y*y) - float64(z*z)))
	q[(largest+1)&3], q[(largest+2)&3], q[(largest+3)&3] = float32(x), float32(y), float32(z)
	return true
}
