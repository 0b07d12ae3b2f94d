package rewind

import (
	"bytes"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Slot is the number of an entity. A slot that is used again has the values of the former entity at
// the former ticks.
type Slot = uint32

// History holds the values of columns at the last ticks.
type History struct {
	kinds    []snapshot.Kind
	tickRate int
	rows     int // ticks
	stride   int // slots
	newest   entangle.Tick
	at       int             // the row of newest
	count    int             // ticks that are held
	sent     []entangle.Tick // by row: the newest tick up to it that was sent
	reach    int             // of SetReach; 0: all ticks that are held

	planes    [][]byte     // by column, then row and slot; behind the rows there is a scratch row
	present   []set.Bitset // by column and row: the slots that had the component
	teleports []uint8      // by row and slot
	carries   bool         // some column extrapolates
}

// NewHistory returns an empty history of a number of ticks, at least 2. The columns are those of kinds
// that have a Size; tickRate is the number of ticks per second.
func NewHistory(kinds []snapshot.Kind, tickRate, ticks int) *History {
	h := &History{
		kinds: kinds, tickRate: tickRate, rows: ticks,
		planes: make([][]byte, len(kinds)), present: make([]set.Bitset, len(kinds)*ticks), sent: make([]entangle.Tick, ticks),
	}
	for i := range kinds {
		h.carries = h.carries || kinds[i].Extrapolate > 0
	}
	return h
}

// SetReach sets by how many ticks the times of views are before the present tick, at most: the one after the newest.
// Then no value is of an earlier tick than a client with a good connection would see at such a time: earlier by
// one interval of the entity.
func (h *History) SetReach(ticks int) { h.reach = ticks }

// oldestShown returns the oldest tick of which a view has values of an entity with an interval.
func (h *History) oldestShown(every int) entangle.Tick {
	if ticks := h.reach + every - 1; h.reach > 0 && ticks < h.count {
		return h.newest - entangle.Tick(ticks)
	}
	return h.Oldest()
}

// Begin begins the row of a tick, for slots below the given number. The same tick may begin again.
// After a gap, former ticks are forgotten.
func (h *History) Begin(tick entangle.Tick, slots int) {
	if slots > h.stride {
		h.grow(max(slots, h.stride+h.stride/2, 64))
	}
	switch by := tick.Sub(h.newest); {
	case h.count > 0 && by == 0:
	case h.count > 0 && by == 1:
		last := h.at
		h.at = h.next(h.at)
		h.sent[h.at] = h.sent[last]
		h.count = min(h.count+1, h.rows)
	default:
		h.at, h.count = 0, 1
		h.sent[0] = tick
	}
	h.newest = tick
	for col := range h.kinds {
		if h.kinds[col].Size > 0 {
			h.present[col*h.rows+h.at].Reset()
		}
	}
	clear(h.teleports[h.at*h.stride : (h.at+1)*h.stride])
}

func (h *History) next(row int) int {
	if row++; row == h.rows {
		return 0
	}
	return row
}

// grow makes room for more slots.
func (h *History) grow(stride int) {
	for col := range h.kinds {
		size := h.kinds[col].Size
		if size == 0 {
			continue
		}
		plane := make([]byte, (h.rows+1)*stride*size)
		for row := range h.rows {
			copy(plane[row*stride*size:], h.planes[col][row*h.stride*size:min((row+1)*h.stride*size, len(h.planes[col]))])
			h.present[col*h.rows+row].Grow(stride)
		}
		h.planes[col] = plane
	}
	teleports := make([]uint8, h.rows*stride)
	for row := range h.rows {
		copy(teleports[row*stride:], h.teleports[row*h.stride:(row+1)*h.stride])
	}
	h.teleports, h.stride = teleports, stride
}

// row returns the row of a tick that is held.
func (h *History) row(tick entangle.Tick) int {
	row := h.at - int(h.newest.Sub(tick))
	if row < 0 {
		row += h.rows
	}
	return row
}

// Row returns the memory of a column at the newest tick, by slot, to be filled.
func (h *History) Row(col int) []byte {
	size := h.kinds[col].Size
	at := h.at * h.stride * size
	return h.planes[col][at : at+h.stride*size]
}

// MarkPresent records which slots have a column at the newest tick.
func MarkPresent[S ~uint32](h *History, col int, slots []S) {
	present := h.present[col*h.rows+h.at]
	for _, s := range slots {
		present.Set(int(s))
	}
}

// Withhold records that no client is sent columns of a slot as of the newest tick: to them it does not have these. It
// follows MarkPresent.
func (h *History) Withhold(s Slot, cols set.Mask) {
	for col := range cols.All() {
		if h.kinds[col].Size > 0 {
			h.present[col*h.rows+h.at].Clear(int(s))
		}
	}
}

// SetTeleports records how often the entity of a slot has been teleported up to the newest tick, a
// number that wraps around. Without it the number is 0.
func (h *History) SetTeleports(s Slot, n uint8) {
	h.teleports[h.at*h.stride+int(s)] = n
}

// MarkSent records that the newest tick is one that clients are sent.
func (h *History) MarkSent() { h.sent[h.at] = h.newest }

// sentAt returns the newest tick up to another one that clients were sent.
func (h *History) sentAt(tick entangle.Tick) entangle.Tick { return h.sent[h.row(h.clamp(tick))] }

// Newest returns the newest tick; ok is false if there is none.
func (h *History) Newest() (tick entangle.Tick, ok bool) { return h.newest, h.count > 0 }

// Oldest returns the oldest tick that is held.
func (h *History) Oldest() entangle.Tick { return h.newest - entangle.Tick(h.count-1) }

// Bytes returns the memory of all values.
func (h *History) Bytes() (n int) {
	for col := range h.planes {
		n += len(h.planes[col])
	}
	for i := range h.present {
		n += len(h.present[i]) * 8
	}
	return n + len(h.teleports)
}

// clampFrom returns the nearest tick that is held, from the oldest of a view on. An entity rests, or moves in a straight
// line, where updates are missing, and a client decides which it acknowledges.
func (h *History) clampFrom(oldest, tick entangle.Tick) entangle.Tick {
	if tick.Before(oldest) {
		return oldest
	}
	return h.clamp(tick)
}

// clamp returns the nearest tick that is held.
func (h *History) clamp(tick entangle.Tick) entangle.Tick {
	if h.newest.Before(tick) {
		return h.newest
	}
	if oldest := h.Oldest(); tick.Before(oldest) {
		return oldest
	}
	return tick
}

// index returns the place of a slot's values at a tick, in units of values.
func (h *History) index(tick entangle.Tick, s Slot) uint32 {
	return uint32(h.row(h.clamp(tick))*h.stride) + s
}

// scratch returns the place for a value of a slot that is at no tick.
func (h *History) scratch(s Slot) uint32 { return uint32(h.rows*h.stride) + s }

// rowOf returns the row of a place.
func (h *History) rowOf(index uint32) int { return int(index) / h.stride }

// values returns the values of a column of n consecutive slots.
func (h *History) values(col int, index uint32, n int) []byte {
	size := h.kinds[col].Size
	at, end := int(index)*size, (int(index)+n)*size
	return h.planes[col][at:end:end]
}

// has reports whether the entity of a slot had a column at a tick.
func (h *History) has(col int, tick entangle.Tick, s Slot) bool {
	return h.hadAll(col, h.row(h.clamp(tick)), s, 1)
}

// hadAll reports whether the entities of n slots had a column in a row. In the scratch row they do.
func (h *History) hadAll(col, row int, s Slot, n int) bool {
	return row == h.rows || h.present[col*h.rows+row].HasRange(int(s), int(s)+n)
}

// AddSlots adds the slots that have a column at the newest tick, and to sent those that had it when clients were sent a
// tick last.
func (h *History) AddSlots(newest, sent *set.Bitset, col int) {
	if h.count == 0 {
		return
	}
	add := func(to *set.Bitset, row int) {
		slots := h.present[col*h.rows+row]
		to.Grow(64 * len(slots))
		to.Join(slots)
	}
	add(newest, h.at)
	add(sent, h.row(h.clamp(h.sent[h.at])))
}

// jumped reports whether the entity of a slot was teleported between two ticks.
func (h *History) jumped(a, b entangle.Tick, s Slot) bool { return h.countBeforeJump(a, b, s, 1) == 0 }

// countBeforeJump returns how many entities of n consecutive slots there are before one that was teleported between
// two ticks.
func (h *History) countBeforeJump(a, b entangle.Tick, s Slot, n int) (before int) {
	i, k := int(h.index(a, s)), int(h.index(b, s))
	from, to := h.teleports[i:i+n], h.teleports[k:k+n]
	if bytes.Equal(from, to) {
		return n
	}
	for from[before] == to[before] {
		before++
	}
	return before
}
