package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// UnitHead is the head of one part of a unit: the actions of groups that entities moved between. A receiver applies all
// of them in one step, when it has all parts and the needs are met. The parts of a unit are in messages of one tick.
type UnitHead struct {
	Number uint32 // of the unit, among those of the tick
	Part   uint32 // of the unit, from 0 on
	Needs  []Need // of the unit; in part 0
}

// MaxUnitParts bounds the parts of a unit, and MaxUnits the units of a tick.
const (
	MaxUnitParts = 1 << 14
	MaxUnits     = MaxGroups
)

// UnitHeadBits bounds the size of a head with n needs.
func UnitHeadBits(n int) int { return 32 + 32 + NeedsBits(n) }

// Append writes the head, in a message of a tick.
func (u *UnitHead) Append(w *pack.Writer, tick entangle.Tick) {
	w.Uvarint(uint64(u.Number))
	if w.Uvarint(uint64(u.Part)); u.Part == 0 {
		AppendNeeds(w, tick, u.Needs)
	}
}

// Read reads the head, and reuses the memory of Needs. It is not ok if the bytes are malformed.
func (u *UnitHead) Read(r *pack.Reader, tick entangle.Tick) (ok bool) {
	number, part := r.Uvarint(), r.Uvarint()
	u.Number, u.Part, u.Needs = uint32(number), uint32(part), u.Needs[:0]
	if number >= MaxUnits || part >= MaxUnitParts {
		return false
	}
	if part == 0 {
		u.Needs, ok = ReadNeeds(r, tick, u.Needs)
		return ok
	}
	return true
}
