package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Need is a condition of a unit or of a mark: a group must have reached a tick, or have ended at it or later. A unit
// needs the former groups of entities that join, if the peer may still have them there. A mark needs the predicted groups
// of which the peer may lack something.
type Need struct {
	Group Handle
	Tick  entangle.Tick
}

// MaxNeeds bounds the needs of one unit or one part of a mark.
const MaxNeeds = MaxMembers

// minNeedBits is the smallest size of a need.
const minNeedBits = 1 + 4 + 4

// maxNeedBits bounds the size of a need.
const maxNeedBits = 1 + 32 + 68

// NeedsBits bounds the output of AppendNeeds for n needs.
func NeedsBits(n int) int { return 1 + 32 + n*maxNeedBits }

// FittingNeeds returns for how many needs room bits are enough in any case; negative: not even for none.
func FittingNeeds(room int) (n int) {
	if room -= NeedsBits(0); room < 0 {
		return -1
	}
	return room / maxNeedBits
}

// AppendNeeds writes the needs of a unit or a part of a mark of a tick.
func AppendNeeds(w *pack.Writer, now entangle.Tick, needs []Need) {
	w.Bool(len(needs) > 0)
	if len(needs) == 0 {
		return
	}
	w.Uvarint(uint64(len(needs)))
	for _, n := range needs {
		appendHandle(w, n.Group)
		w.Uvarint(uint64(now - n.Tick))
	}
}

// ReadNeeds appends the needs of a unit or a part of a mark to dst.
func ReadNeeds(r *pack.Reader, now entangle.Tick, dst []Need) ([]Need, bool) {
	if !r.Bool() {
		return dst, r.Err() == nil
	}
	n := r.Uvarint()
	if r.Err() != nil || n == 0 || n > MaxNeeds || n*minNeedBits > uint64(r.RemainingBits()) {
		return dst, false
	}
	for range n {
		g, ok := readHandle(r)
		age := r.Uvarint()
		if !ok || r.Err() != nil || age > maxAge {
			return dst, false
		}
		dst = append(dst, Need{Group: g, Tick: now - entangle.Tick(age)})
	}
	return dst, true
}
