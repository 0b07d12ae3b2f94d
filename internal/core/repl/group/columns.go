package group

import "github.com/entangle-ecs/entangle"

// AllEqual reports whether all ticks are equal: those of a run usually are, since they were
// acknowledged together. The slice is compared with itself shifted by one, because comparing memory
// is many times as fast as comparing ticks one by one.
func AllEqual(ticks []entangle.Tick) bool {
	const many = 64
	for ; len(ticks) > many; ticks = ticks[many:] {
		if *(*[many]entangle.Tick)(ticks) != *(*[many]entangle.Tick)(ticks[1:]) {
			return false
		}
	}
	differ := entangle.Tick(0)
	for _, t := range ticks {
		differ |= t ^ ticks[0]
	}
	return differ == 0
}

// Advance moves those of some baselines that are before a tick to that tick. They are usually equal,
// and then all of them are compared and written at once.
func Advance(base []entangle.Tick, tick entangle.Tick) {
	if AllEqual(base) {
		if base[0].Before(tick) {
			Fill(base, tick)
		}
		return
	}
	for i, b := range base {
		if b.Before(tick) {
			base[i] = tick
		}
	}
}

// Fill sets all elements of a part of a column: the first few one by one, and then twice as many with each copy.
func Fill[T any](column []T, with T) {
	const few = 16
	for i := range min(len(column), few) {
		column[i] = with
	}
	for n := few; n < len(column); n *= 2 {
		copy(column[n:], column[:n])
	}
}
