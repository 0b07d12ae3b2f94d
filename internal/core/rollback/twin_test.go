package rollback

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The columns of the twin: two that are compared, a tag, a relation, a local one.
const (
	colBody = iota
	colHealth
	colFlag
	colParent
	colLocal
)

func twinConfig(ticks int) Config {
	return Config{
		Ticks: ticks, Sizes: []int{12, 4, 0, 4, 8},
		Kept:      set.MaskOf(colBody, colHealth, colFlag, colParent, colLocal),
		Compared:  set.MaskOf(colBody, colHealth, colFlag, colParent),
		Relations: set.MaskOf(colParent),
		Equal: func(col int, a, b []byte) bool {
			return col == colHealth && bytes.Equal(a[:3], b[:3]) // the last byte does not matter
		},
	}
}

// twinState is one entity at one tick.
type twinState struct {
	form   Form
	values [5]string
}

// twinWord is the confirmed state of one entity.
type twinWord struct {
	Confirmed
	values [5]string
	news   bool // it arrived since the last Compare
}

// twin is a simple model of a Store: it keeps all states of all ticks in maps, and searches all of
// them for each result.
type twin struct {
	*rapid.T
	cfg   Config
	store *Store

	now       map[Slot]twinState
	before    map[Slot]twinState // the tick before the one that is computed; without ended entities
	ticks     map[entangle.Tick]map[Slot]twinState
	words     map[Slot]twinWord
	excluded  map[Slot]bool
	tick      entangle.Tick // the newest tick, or the one from which the model begins
	confirmed entangle.Tick
	holes     bool
}

// TestStoreEqualsTwin changes entities and their confirmed state at random. Differences, restored
// forms and inserts must equal those of a simple model that copies everything.
func TestStoreEqualsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newTwin(t)
		for range rapid.IntRange(1, 50).Draw(t, "turns") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				x.rollBack()
			case 1, 2:
				x.compare()
			case 3, 4, 5:
				x.say()
			default:
				x.step()
			}
			x.check()
		}
	})
}

func newTwin(t *rapid.T) *twin {
	x := &twin{
		T: t, cfg: twinConfig(rapid.IntRange(1, 9).Draw(t, "ticks")),
		now: map[Slot]twinState{}, ticks: map[entangle.Tick]map[Slot]twinState{},
		words: map[Slot]twinWord{}, excluded: map[Slot]bool{},
		tick:  rapid.SampledFrom([]entangle.Tick{100, ^entangle.Tick(0) - 5}).Draw(t, "tick"),
		holes: rapid.Bool().Draw(t, "holes"),
	}
	x.confirmed = x.tick
	x.store = New(x.cfg)
	x.store.Grow(8)
	return x
}

// slot draws one of a few slots, which are in two words of a set.
func (x *twin) slot() Slot { return rapid.SampledFrom([]Slot{1, 2, 3, 63, 64, 70}).Draw(x.T, "slot") }

func (x *twin) mask() (m set.Mask) {
	for col := range x.cfg.Sizes {
		if rapid.Bool().Draw(x.T, "has") {
			m.Set(col)
		}
	}
	return m
}

func (x *twin) value(col int) string {
	return string(bytes.Repeat([]byte{byte(rapid.IntRange(1, 4).Draw(x.T, "value"))}, x.cfg.Sizes[col]))
}

// step simulates a tick.
func (x *twin) step() {
	x.before = maps.Clone(x.now)
	for range rapid.IntRange(0, 6).Draw(x.T, "changes") {
		x.change(x.slot())
	}
	x.tick++
	if x.holes {
		x.tick += entangle.Tick(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 12}).Draw(x.T, "skipped"))
	}
	x.store.Begin(x.tick)
	for slot := Slot(1); slot <= 70; slot++ {
		if was, is := x.before[slot].form, x.now[slot].form; was != is {
			x.store.Changed(x.tick, slot, was, is)
		}
	}
	x.record()
}

// change makes a random change to one entity.
func (x *twin) change(slot Slot) {
	x.store.Grow(int(slot) + 1)
	state, lives := x.now[slot]
	switch {
	case x.excluded[slot]:
	case !lives:
		x.now[slot] = x.filled(Form{Alive: true, Mask: x.mask(), Target: 1})
	case rapid.IntRange(0, 5).Draw(x.T, "end") == 0:
		x.forget(slot)
	case rapid.IntRange(0, 5).Draw(x.T, "strip") == 0:
		state.form = Form{Alive: true, Disabled: true}
		x.now[slot] = state
	default:
		x.now[slot] = x.filled(Form{Alive: true, Mask: x.mask(), Target: uint64(rapid.IntRange(1, 2).Draw(x.T, "target"))})
	}
}

func (x *twin) filled(f Form) twinState {
	if !f.Mask.Has(colParent) {
		f.Target = 0
	}
	state := twinState{form: f}
	for col := range x.cfg.Sizes {
		if f.Mask.Has(col) {
			state.values[col] = x.value(col)
		}
	}
	return state
}

func (x *twin) forget(slot Slot) {
	x.store.Forget(slot)
	delete(x.now, slot)
	delete(x.before, slot)
	delete(x.words, slot)
	for _, tick := range x.ticks {
		delete(tick, slot)
	}
}

// record writes the histories of the newest tick.
func (x *twin) record() {
	x.ticks[x.tick] = maps.Clone(x.now)
	for tick := range x.ticks {
		if int(x.tick.Sub(tick)) >= x.cfg.Ticks {
			delete(x.ticks, tick)
		}
	}
	if rapid.Bool().Draw(x.T, "by place") {
		x.recordPlaces()
		return
	}
	for slot, state := range x.now {
		x.write(slot, x.tick, state)
	}
}

// recordPlaces is record with the slots in random order.
func (x *twin) recordPlaces() {
	var order []uint32
	for _, slot := range rapid.Permutation(slices.Sorted(maps.Keys(x.now))).Draw(x.T, "order") {
		order = append(order, uint32(slot))
	}
	x.store.Arrange(x.tick, order)
	for col, size := range x.cfg.Sizes {
		for place, slot := range order {
			if size == 0 {
				continue
			}
			copy(x.store.Placed(x.tick, col)[place*size:(place+1)*size], x.now[Slot(slot)].values[col])
		}
	}
}

// say makes random confirmed state of an entity arrive.
func (x *twin) say() {
	slot := x.slot()
	x.store.Grow(int(slot) + 1)
	if _, lives := x.now[slot]; !lives {
		return
	}
	if rapid.IntRange(0, 9).Draw(x.T, "exclude") == 0 && x.still(slot) {
		x.excluded[slot] = !x.excluded[slot]
		x.store.Exclude(slot, x.excluded[slot])
		if word, known := x.words[slot]; known {
			word.news = true
			x.words[slot] = word
		}
		return
	}
	word := twinWord{news: true, Confirmed: Confirmed{
		Tick: x.tick + 3 - entangle.Tick(rapid.IntRange(0, 9).Draw(x.T, "age")), Known: true,
		Gone: rapid.IntRange(0, 7).Draw(x.T, "gone") == 0, Mask: x.mask(), Target: uint64(rapid.IntRange(1, 2).Draw(x.T, "target")),
	}}
	if old := x.ticks[word.Tick][slot]; rapid.IntRange(0, 3).Draw(x.T, "right") > 0 {
		word.Mask, word.Target, word.values = old.form.Mask, old.form.Target, old.values
	} else {
		word.values = x.filled(Form{Mask: word.Mask}).values
	}
	old, known := x.words[slot]
	x.words[slot] = word
	for col := range x.cfg.Sizes {
		copy(x.store.ConfirmedValue(slot, col), word.values[col])
	}
	old.Tick = word.Tick
	if known && old.Confirmed == word.Confirmed {
		x.store.NoteValues(slot, word.Tick)
		return
	}
	*x.store.Confirmed(slot) = word.Confirmed
	x.store.Note(slot)
}

// still reports whether an entity has had the same form in all held ticks.
func (x *twin) still(slot Slot) bool {
	for _, tick := range x.ticks {
		if tick[slot].form != x.now[slot].form {
			return false
		}
	}
	return true
}

func (x *twin) form(slot Slot) Form { return x.now[slot].form }

// advance draws a new confirmed tick. It is seldom older than the last one: confirmed state of the ticks in between is
// then compared again.
func (x *twin) advance() entangle.Tick {
	f := x.tick - entangle.Tick(rapid.IntRange(0, 6).Draw(x.T, "behind"))
	back := f.Before(x.confirmed) && rapid.IntRange(0, 9).Draw(x.T, "back") == 0
	if x.confirmed.Before(f) || back {
		x.confirmed = f
	}
	for slot, word := range x.words {
		if back && f.Before(word.Tick) {
			word.news = true
			x.words[slot] = word
		}
	}
	return x.confirmed
}

func (x *twin) compare() {
	f, p := x.advance(), x.tick
	var got, want []Mismatch
	x.store.Compare(f, p, x.form, func(m Mismatch) { got = append(got, m) })
	for slot, word := range x.words {
		tick := f
		if f.Before(word.Tick) {
			tick = word.Tick
		}
		states, held := x.ticks[tick]
		if held && !x.excluded[slot] && (tick == f || word.news && !p.Before(tick)) {
			want = append(want, x.differences(slot, tick, states[slot], word)...)
		}
		word.news = false
		x.words[slot] = word
	}
	for _, list := range [][]Mismatch{got, want} {
		slices.SortFunc(list, func(a, b Mismatch) int {
			return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Col, b.Col))
		})
	}
	require.Equal(x, want, got)
}

func (x *twin) differences(slot Slot, tick entangle.Tick, state twinState, word twinWord) (all []Mismatch) {
	has, says := state.form.Mask.And(x.cfg.Compared), word.Mask.And(x.cfg.Compared)
	switch {
	case word.Gone && state.form.Alive && !state.form.Disabled:
		return []Mismatch{{slot, tick, Despawned, -1}}
	case word.Gone:
		return nil
	case !state.form.Alive || state.form.Disabled && says.IsZero():
		return []Mismatch{{slot, tick, Spawned, -1}}
	}
	for col := range x.cfg.Sizes {
		if has.Has(col) != says.Has(col) || col == colParent && has.Has(col) && state.form.Target != word.Target {
			return []Mismatch{{slot, tick, Structure, col}}
		}
		a, b := state.values[col], word.values[col]
		if says.Has(col) && a != b && !x.cfg.Equal(col, []byte(a), []byte(b)) {
			all = append(all, Mismatch{slot, tick, Value, col})
		}
	}
	// If the structure differs, no value is reported.
	if all != nil && has != says {
		diff := has.Without(says).Or(says.Without(has))
		return []Mismatch{{slot, tick, Structure, diff.Next(0)}}
	}
	if all != nil && has.Has(colParent) && state.form.Target != word.Target {
		return []Mismatch{{slot, tick, Structure, colParent}}
	}
	return all
}

// rollBack rolls back to a random held tick.
func (x *twin) rollBack() {
	held := slices.Collect(maps.Keys(x.ticks))
	if len(held) == 0 {
		return
	}
	slices.Sort(held)
	to, f := rapid.SampledFrom(held).Draw(x.T, "to"), x.advance()
	x.checkDue(to)
	want, states := map[Slot]Form{}, map[Slot]twinState{}
	for slot, now := range x.now {
		states[slot] = x.restored(slot, to, f)
		if x.excluded[slot] {
			states[slot] = now
		} else if states[slot].form != now.form {
			want[slot] = states[slot].form
		}
	}
	got := map[Slot]Form{}
	x.store.Wanted(to, f, x.form, func(slot Slot, form Form) {
		require.NotContains(x, got, slot)
		got[slot] = form
	})
	require.Equal(x, want, got)
	x.store.Correct(to, f)
	x.store.Cut(to)
	x.arrive(to, states)
}

// arrive sets the world to the state after the tick that is restored.
func (x *twin) arrive(to entangle.Tick, states map[Slot]twinState) {
	for slot, state := range states {
		if x.excluded[slot] {
			x.write(slot, to, state)
		} else if !state.form.Alive {
			x.forget(slot)
			delete(states, slot)
		}
	}
	for tick := range x.ticks {
		if to.Before(tick) {
			delete(x.ticks, tick)
		}
	}
	x.tick, x.now, x.ticks[to] = to, states, maps.Clone(states)
}

func (x *twin) write(slot Slot, tick entangle.Tick, state twinState) {
	for col, size := range x.cfg.Sizes {
		copy(x.store.Column(tick, col)[int(slot)*size:], state.values[col])
	}
}

// restored returns the form that a slot must have after a rollback.
func (x *twin) restored(slot Slot, to, f entangle.Tick) twinState {
	state, word := x.ticks[to][slot], x.words[slot]
	if !word.Known || x.excluded[slot] {
		return state
	}
	if to.Before(word.Tick) || f.Before(to) && word.Tick != to {
		if !state.form.Alive {
			state.form = Form{Alive: true, Disabled: true}
		}
		return state
	}
	if !word.Gone && !state.form.Alive {
		state = x.first(slot, to)
		x.write(slot, to, state) // as Backfill would do
	} else if !word.Gone && state.form.Disabled {
		state = x.last(slot, to)
	}
	state.form.Alive, state.form.Disabled = true, word.Gone
	related := state.form.Mask.Has(colParent)
	for col := range x.cfg.Sizes {
		switch {
		case word.Gone || x.cfg.Compared.Has(col) && !word.Mask.Has(col):
			state.form.Mask.Clear(col)
		case x.cfg.Compared.Has(col):
			state.form.Mask.Set(col)
			state.values[col] = word.values[col]
		}
	}
	if state.form.Mask.Has(colParent) {
		state.form.Target = word.Target
	} else if related {
		state.form.Target = 0
	}
	return state
}

// first returns the first form in which a slot existed after a tick.
func (x *twin) first(slot Slot, after entangle.Tick) twinState {
	for tick := after + 1; !x.tick.Before(tick); tick++ {
		if state := x.ticks[tick][slot]; state.form.Alive {
			return state
		}
	}
	return x.now[slot]
}

// last returns the columns that a slot had before its components were disabled.
func (x *twin) last(slot Slot, at entangle.Tick) twinState {
	disabled := x.ticks[at][slot]
	for tick := at; int(x.tick.Sub(tick)) < x.cfg.Ticks; tick-- {
		state := x.ticks[tick][slot]
		if !state.form.Alive || state.form.Disabled {
			continue
		}
		if _, followed := x.ticks[tick+1]; followed {
			disabled.form.Mask = state.form.Mask.And(set.MaskOf(colLocal))
			disabled.values[colLocal] = state.values[colLocal]
		}
		break
	}
	return disabled
}

// checkDue compares the slots that are due in each of the next ticks of a replay.
func (x *twin) checkDue(from entangle.Tick) {
	for tick := from + 1; tick != x.tick+4; tick++ {
		var want []Slot
		for slot := Slot(1); slot <= 70; slot++ {
			if word := x.words[slot]; word.Known && !x.excluded[slot] && word.Tick == tick {
				want = append(want, slot)
			}
		}
		require.Equal(x, want, x.store.Due(nil, tick), "at %d", tick)
	}
}

// check compares the forms and values of all ticks that are held.
func (x *twin) check() {
	for age := -1; age < 20; age++ {
		tick := x.tick - entangle.Tick(age)
		states, held := x.ticks[tick]
		require.Equal(x, held, x.store.Holds(tick))
		for slot := range x.now {
			if !held {
				continue
			}
			state := states[slot]
			require.Equal(x, state.form, x.store.FormAt(slot, tick, x.form(slot)), "slot %d at %d", slot, tick)
			for col, size := range x.cfg.Sizes {
				if state.form.Mask.Has(col) && size > 0 {
					at := int(slot) * size
					require.Equal(x, state.values[col], string(x.store.Column(tick, col)[at:at+size]), "slot %d col %d at %d", slot, col, tick)
				}
			}
		}
	}
}
