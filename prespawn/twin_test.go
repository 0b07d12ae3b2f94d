package prespawn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// twin is a Matcher as plain lists and loops.
type twin struct {
	all   []entry[int]
	limit int
	dead  map[int]bool
	stats Stats
}

func (w *twin) of(hash uint32) int {
	w.all = slices.DeleteFunc(w.all, func(e entry[int]) bool { return e.hash == hash && e.state != Unpaired && w.dead[e.entity] })
	return slices.IndexFunc(w.all, func(e entry[int]) bool { return e.hash == hash && e.state != Unpaired })
}

func (w *twin) spawned(e int, hash uint32, tick, until entangle.Tick) (same int, dropped []int) {
	state := Waiting
	if i := w.of(hash); i >= 0 {
		if w.all[i].absent {
			w.all[i].absent, w.all[i].tick = false, tick
			w.stats.Merged++
			return w.all[i].entity, nil
		}
		state = Unpaired
		w.stats.Collisions++
	}
	if len(w.all) == w.limit {
		if old := w.all[0]; old.state != Matched && !w.dead[old.entity] {
			w.stats.Overflow++
			dropped = append(dropped, old.entity)
		}
		w.all = w.all[1:]
	}
	w.all = append(slices.Clone(w.all), entry[int]{entity: e, hash: hash, state: state, tick: tick, until: until})
	return 0, dropped
}

func (w *twin) announced(e int, hash uint32, tick entangle.Tick) (dropped []int) {
	state := Waiting
	if w.of(hash) >= 0 {
		state = Unpaired
		w.stats.Collisions++
	}
	if len(w.all) == w.limit {
		if old := w.all[0]; old.state != Matched && !w.dead[old.entity] {
			w.stats.Overflow++
			dropped = append(dropped, old.entity)
		}
		w.all = w.all[1:]
	}
	w.all = append(slices.Clone(w.all), entry[int]{entity: e, hash: hash, state: state, tick: tick, until: tick, early: true})
	return dropped
}

func (w *twin) match(hash uint32, tick entangle.Tick) int {
	i := w.of(hash)
	if i < 0 || w.all[i].state != Waiting || w.all[i].absent || tick < w.all[i].tick && !w.all[i].early {
		return 0
	}
	w.all[i].state = Matched
	w.stats.Matched++
	return w.all[i].entity
}

func (w *twin) arrived(e int, hash uint32, tick, now entangle.Tick) {
	if w.of(hash) >= 0 {
		w.stats.Collisions++
	} else if len(w.all) < w.limit {
		w.all = append(w.all, entry[int]{entity: e, hash: hash, state: Matched, tick: tick, absent: now < tick})
	}
}

func (w *twin) expire(now, confirmed, oldest entangle.Tick) (dropped []int) {
	w.all = slices.DeleteFunc(w.all, func(e entry[int]) bool {
		waits := now < e.until || confirmed < e.tick && oldest <= e.tick
		switch {
		case w.dead[e.entity]:
			return true
		case e.state == Matched:
			return int(e.tick) < int(oldest)-int(now-confirmed)
		case e.absent || !waits:
			if !e.absent {
				w.stats.Unmatched++
			}
			dropped = append(dropped, e.entity)
			return true
		}
		return false
	})
	return dropped
}

// clear returns the entities that are dropped at the end.
func (w *twin) clear() (dropped []int) {
	for _, e := range w.all {
		if e.state != Matched && !w.dead[e.entity] {
			dropped = append(dropped, e.entity)
		}
	}
	return dropped
}

// FuzzMatcher compares a Matcher with its twin, step by step.
//
// Proves: E2, E4, E6, E8, T12
func FuzzMatcher(f *testing.F) {
	f.Add([]byte{8, 65, 4, 3, 8, 1, 2, 1, 5, 0, 5, 255, 0, 1, 8, 34, 5, 3})
	f.Add([]byte{0, 1, 0, 2, 1, 1, 2, 0, 0, 1, 3, 9, 4, 0, 5, 3, 6, 1, 7, 0})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		steps := make([]byte, 400)
		for i := range steps {
			steps[i] = byte(rng.Uint32())
		}
		f.Add(steps)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		b := newBench(t, 6)
		w := &twin{limit: 6, dead: b.dead}
		now, next := entangle.Tick(1<<20), 1
		drops := func(want []int) {
			require.True(t, slices.Equal(want, b.drops[len(b.drops)-len(want):]))
		}
		for at := 0; at+1 < min(len(steps), 1000); at += 2 {
			arg, hash := steps[at+1], uint32(steps[at+1]%4)+1
			before := len(b.drops)
			switch steps[at] % 9 {
			case 0, 1:
				want, dropped := w.spawned(next, hash, now, now+entangle.Tick(arg/4))
				got, _ := b.Spawned(next, hash, now, now+entangle.Tick(arg/4), b.drop)
				require.Equal(t, want, got)
				drops(dropped)
				next++
			case 2:
				require.Equal(t, w.match(hash, now+entangle.Tick(arg/64)), b.match(hash, now+entangle.Tick(arg/64)))
			case 3:
				tick := now + entangle.Tick(arg/32) - 4
				w.arrived(next, hash, tick, now)
				b.Arrived(next, hash, tick, now)
				next++
			case 4: // a rollback
				tick := now - entangle.Tick(arg%8)
				var want, got []int
				for i := range w.all {
					if e := &w.all[i]; tick < e.tick && !e.early && !b.dead[e.entity] {
						e.absent = true
						want = append(want, e.entity)
					}
				}
				b.Restored(tick, func(e int) { got = append(got, e) })
				require.True(t, slices.Equal(want, got))
				now = tick
			case 5:
				oldest := now - entangle.Tick(arg%32)
				dropped := w.expire(now, now-entangle.Tick(arg/32), oldest)
				b.Expire(now, now-entangle.Tick(arg/32), oldest, b.drop)
				drops(dropped)
			case 6:
				if e := int(arg)%next + 1; !b.dead[e] {
					b.dead[e] = true
				}
			case 7:
				e := int(arg)%next + 1
				w.all = slices.DeleteFunc(w.all, func(x entry[int]) bool { return x.entity == e })
				b.Ended(e)
			case 8:
				tick := now + entangle.Tick(arg/16)
				dropped := w.announced(next, hash, tick)
				b.Announced(next, hash, tick, b.drop)
				drops(dropped)
				next++
			}
			if steps[at]%9 != 4 {
				now += entangle.Tick(steps[at] / 128)
			}
			require.LessOrEqual(t, len(b.drops)-before, 6)
			require.Equal(t, len(w.all), b.Len())
			require.Equal(t, w.stats, b.Stats())
			for _, e := range w.all {
				require.Equal(t, e.absent && e.state != Unpaired, b.Absent(e.entity))
			}
		}
		dropped, before := w.clear(), len(b.drops)
		b.Clear(b.drop)
		require.True(t, slices.Equal(dropped, b.drops[before:]))
		require.Zero(t, b.Len())
	})
}
