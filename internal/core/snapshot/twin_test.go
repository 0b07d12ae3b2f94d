package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The columns of the tests. The values of all are numbers.
const (
	plain   = iota // blended
	limited        // not blended if the difference is more than 10
	beyond         // continues for two ticks, and is limited
	held           // not blended
	without        // has no samples
	curved         // blended together with bend
	bend           // blended
	columns
)

const (
	ticksBeyond = 2
	tickRate    = 4
)

var numbers = binary.LittleEndian

func number(b []byte) float64 { return math.Float64frombits(numbers.Uint64(b)) }

func memory(v float64) []byte { return numbers.AppendUint64(nil, math.Float64bits(v)) }

func mix(a, b float64, t float32) float64 {
	switch {
	case !(t > 0):
		return a
	case t == 1:
		return b
	}
	return a + float64((b-a)*float64(t))
}

func mixEach(dst, plane []byte, from, to []uint32, share []float32) {
	for i, t := range share {
		numbers.PutUint64(dst[8*i:], math.Float64bits(mix(number(plane[8*from[i]:]), number(plane[8*to[i]:]), t)))
	}
}

func mixAll(dst, a, b []byte, t float64) {
	for i := 0; i < len(dst); i += 8 {
		numbers.PutUint64(dst[i:], math.Float64bits(mix(number(a[i:]), number(b[i:]), float32(t))))
	}
}

// curve has no corner where two movements meet.
func curve(a, b, va, vb float64, t, seconds float32) float64 {
	if !(t > 0) || t == 1 {
		return mix(a, b, t)
	}
	x, span := float64(t), float64(seconds)
	return a + float64((b-a)*float64(x*x*(3-2*x))) + float64(va*float64(span*x*(1-x)*(1-x))) + float64(vb*float64(span*x*x*(x-1)))
}

func curveEach(dst, plane, with []byte, from, to []uint32, share, seconds []float32) {
	for i, t := range share {
		a, b := 8*from[i], 8*to[i]
		v := curve(number(plane[a:]), number(plane[b:]), number(with[a:]), number(with[b:]), t, seconds[i])
		numbers.PutUint64(dst[8*i:], math.Float64bits(v))
	}
}

// own is the function of single entities.
func own(a, b float64, t float32) float64 {
	if !(t > 0) || t == 1 {
		return mix(a, b, t)
	}
	return mix(a, b, t*t)
}

func ownBytes(dst, a, b []byte, t float64) {
	numbers.PutUint64(dst, math.Float64bits(own(number(a), number(b), float32(t))))
}

func tooFar(a, b float64) bool { return math.Abs(a-b) > 10 }

func tooFarBytes(a, b []byte) bool { return tooFar(number(a), number(b)) }

func kinds() []Kind {
	return []Kind{
		plain:   {Size: 8, Blend: mixAll, Each: mixEach},
		limited: {Size: 8, Blend: mixAll, Each: mixEach, TooFar: tooFarBytes},
		beyond:  {Size: 8, Blend: mixAll, Each: mixEach, TooFar: tooFarBytes, Extrapolate: ticksBeyond},
		held:    {Size: 8},
		without: {},
		curved:  {Size: 8, Blend: mixAll, Each: mixEach, Curve: curveEach, With: bend},
		bend:    {Size: 8, Blend: mixAll, Each: mixEach},
	}
}

type values [columns]float64

// options are what some stores do not have: then most of their entities move on by a shorter way.
type options struct {
	limits bool // limited and beyond are limited
	goesOn bool // beyond continues
}

func (o options) kinds() []Kind {
	k := kinds()
	if !o.limits {
		k[limited].TooFar, k[beyond].TooFar = nil, nil
	}
	if !o.goesOn {
		k[beyond].Extrapolate = 0
	}
	return k
}

// twin is the plain model of an entity. Its times are ticks that do not wrap around.
type twin struct {
	options
	slot    Slot
	class   *twinClass
	has     [columns]bool
	own     [columns]bool // blended by own
	newest  int64
	started bool // it has a sample

	jumps     uint8 // of the next sample
	shown     bool
	base      values // that it moves from
	baseTick  int64
	baseJumps uint8
	start     float64
	previous  *values // of the movement before, which began at prevStart and ended at start
	prevTick  int64
	prevStart float64
	prevJumps uint8
	end       float64 // of the movement to ahead[0]
	late      bool
	restarted bool // base is no sample
	ahead     []twinSample
}

type twinSample struct {
	tick int64
	values
	jumps uint8
}

type twinClass struct {
	every   uint16
	now     float64
	started bool
}

// known returns the values of the newest sample.
func (w *twin) known() values {
	if n := len(w.ahead); n > 0 {
		return w.ahead[n-1].values
	}
	return w.base
}

// show returns the shown value of a column.
func (w *twin) show(col int) float64 {
	base := w.base[col]
	if w.teleported() {
		return base
	}
	if len(w.ahead) > 0 {
		to, share := w.ahead[0].values[col], w.share()
		if col == held && !w.own[col] || (col == limited || col == beyond) && w.limits && tooFar(base, to) {
			return base
		}
		if w.own[col] {
			return own(base, to, share)
		}
		if col == curved && w.has[bend] && base != to {
			return curve(base, to, w.base[bend], w.ahead[0].values[bend], share, float32((w.end-w.start)/tickRate))
		}
		return mix(base, to, share)
	}
	if col != beyond || w.own[col] || w.previous == nil || w.prevJumps != w.baseJumps || w.previous[col] == base || w.limits && tooFar(w.previous[col], base) {
		return base
	}
	past := w.class.now - w.start
	past = max(min(past, 2*ticksBeyond-past), 0)
	return mix(w.previous[col], base, float32((w.start+past-w.prevStart)/(w.start-w.prevStart)))
}

// teleported reports whether the entity is teleported to the next sample.
func (w *twin) teleported() bool { return len(w.ahead) > 0 && w.ahead[0].jumps != w.baseJumps }

func (w *twin) share() float32 {
	if len(w.ahead) == 0 || w.teleported() {
		return 0
	}
	return float32((w.class.now - w.start) / (w.end - w.start))
}

// add adds a sample in which some columns have new values.
func (w *twin) add(tick int64, changed map[int]float64) {
	if w.started && tick <= w.newest {
		return
	}
	if _, ok := changed[bend]; ok && !w.has[bend] {
		w.changeCurve()
	}
	from, waits := w.showAll(), w.late || w.shown && len(w.ahead) == 0
	if w.samples() == MaxSamples {
		w.ahead = slices.Delete(w.ahead, 1, 2)
	}
	w.ahead = append(w.ahead, twinSample{tick, w.known(), w.jumps})
	w.started, w.newest = true, tick
	for col, v := range changed {
		w.ahead[len(w.ahead)-1].values[col] = v
		if w.has[col] {
			continue
		}
		w.has[col], w.base[col], from[col] = true, v, v
		if w.previous != nil {
			w.previous[col] = v
		}
		for i := range w.ahead {
			w.ahead[i].values[col] = v
		}
	}
	if waits {
		w.restart(from)
	} else if len(w.ahead) == 1 {
		w.end = float64(tick)
	}
}

// hold adds a sample of an entity that has not changed up to a tick.
func (w *twin) hold(tick int64) {
	rests := w.shown && len(w.ahead) == 0
	if !w.started || tick <= w.newest || rests && float64(tick) <= w.class.now {
		return
	}
	from, jumps := w.showAll(), w.baseJumps
	if w.samples() == MaxSamples {
		w.ahead = slices.Delete(w.ahead, 1, 2)
	}
	if n := len(w.ahead); n > 0 {
		jumps = w.ahead[n-1].jumps
	}
	w.ahead, w.newest = append(w.ahead, twinSample{tick, w.known(), jumps}), tick
	if w.late || rests && w.goesOn {
		w.restart(from)
	} else if rests {
		w.start, w.end = w.class.now, float64(tick)
	}
}

// changeCurve is called before bend is inserted or removed.
func (w *twin) changeCurve() {
	if w.shown && len(w.ahead) > 0 {
		w.restart(w.showAll())
	}
}

// reinsert sets a column in all values of ticks before a given one.
func (w *twin) reinsert(tick int64, col int, v float64) {
	if !w.has[col] {
		return
	}
	if col == bend && slices.ContainsFunc(w.before(tick), func(old *values) bool { return old[col] != v }) {
		w.changeCurve()
	}
	for _, old := range w.before(tick) {
		old[col] = v
	}
}

// before returns all values of ticks before a given one.
func (w *twin) before(tick int64) (all []*values) {
	if w.previous != nil {
		if w.prevTick >= tick {
			return all
		}
		all = append(all, w.previous)
	}
	if w.shown {
		if w.baseTick >= tick {
			return all
		}
		all = append(all, &w.base)
	}
	for i := range w.ahead {
		if w.ahead[i].tick >= tick {
			break
		}
		all = append(all, &w.ahead[i].values)
	}
	return all
}

// setClass gives the entity another timeline, on which it goes on from its shown values.
func (w *twin) setClass(c *twinClass) {
	from, was := w.showAll(), w.class
	if c == was {
		return
	}
	if !c.started {
		c.started, c.now = was.started, was.now
	}
	w.class = c
	switch {
	case w.shown && len(w.ahead) > 0:
		w.restart(from)
	case w.shown:
		w.start, w.prevStart = w.start+c.now-was.now, w.prevStart+c.now-was.now
	}
}

// samples returns how many samples are held.
func (w *twin) samples() int {
	n := len(w.ahead)
	if w.shown {
		n++
	}
	if w.previous != nil {
		n++
	}
	return n
}

func (w *twin) showAll() (shown values) {
	for col := range shown {
		shown[col] = w.show(col)
	}
	return shown
}

// rebase replaces shown values.
func (w *twin) rebase(given map[int]float64) {
	if !w.started || !w.class.started {
		return
	}
	from := w.showAll()
	if !w.shown {
		from, w.baseJumps = w.ahead[0].values, w.ahead[0].jumps
		if w.samples() == MaxSamples {
			w.ahead = slices.Delete(w.ahead, 1, 2)
		}
	} else if len(w.ahead) == 0 {
		w.ahead = []twinSample{{w.newest, w.base, w.baseJumps}}
	}
	for col, v := range given {
		if w.has[col] {
			from[col] = v
		}
	}
	w.shown = true
	w.restart(from)
}

// restart begins a movement from the given values.
func (w *twin) restart(from values) {
	soonest := w.class.now + min(float64(w.class.every), tickRate)
	for len(w.ahead) > 1 && !w.teleported() && float64(w.ahead[0].tick) < soonest {
		w.ahead = w.ahead[1:]
	}
	w.base, w.start, w.previous, w.restarted = from, w.class.now, nil, true
	w.baseTick = int64(math.Floor(w.start))
	w.end = max(float64(w.ahead[0].tick), soonest)
	w.late = w.end != float64(w.ahead[0].tick)
	if w.teleported() {
		w.end, w.late = float64(w.ahead[0].tick), false
	}
}

// advance drops the samples that the shown time has reached.
func (w *twin) advance() {
	for len(w.ahead) > 0 && w.end <= w.class.now {
		if w.previous = nil; w.shown && !w.restarted && w.goesOn {
			w.previous, w.prevStart, w.prevJumps = &values{}, w.start, w.baseJumps
			*w.previous, w.prevTick = w.base, w.baseTick
		}
		w.shown, w.base, w.start, w.late, w.restarted = true, w.ahead[0].values, w.end, false, false
		w.baseTick, w.baseJumps = w.ahead[0].tick, w.ahead[0].jumps
		if w.ahead = w.ahead[1:]; len(w.ahead) > 0 {
			w.end = float64(w.ahead[0].tick)
		}
	}
}

// twins is a store and its model.
type twins struct {
	options
	t       *testing.T
	r       *rand.Rand
	store   *Store
	origin  entangle.Tick // of the tick 0 of the model
	classes []*twinClass
	all     []*twin
}

// A store shows, bit for bit, the same values as a simple model with a list of samples for each
// entity, for samples that arrive early, late, in bursts or not at all, columns that are inserted and
// removed, intervals that change, and slots that are used again. Some stores have no column that is limited, or none that continues.
//
// Proves: N1, N2, N3, N7, N15
func TestAStoreEqualsPlainTwin(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			newTwins(t, seed).run(200)
			if t.Failed() {
				t.Logf("again: go test ./internal/core/snapshot -run 'TestAStoreEqualsPlainTwin/seed_%d$'", seed)
			}
		})
	}
}

func newTwins(t *testing.T, seed uint64) *twins {
	w := &twins{t: t, r: rand.New(rand.NewPCG(seed, 3)), options: options{limits: seed%8 < 4, goesOn: seed%8 < 6}}
	w.store = New(w.kinds(), tickRate)
	w.origin = entangle.Tick(w.r.Uint32())
	if seed%2 == 0 {
		w.origin = -entangle.Tick(w.r.IntN(400)) // ticks wrap around
	}
	for _, every := range []uint16{1, 2, 5}[:1+w.r.IntN(3)] {
		w.classes = append(w.classes, &twinClass{every: every})
	}
	return w
}

func (w *twins) run(frames int) {
	for range frames {
		w.changeEntities()
		for _, e := range w.all {
			w.receive(e)
		}
		for _, c := range w.classes {
			w.advance(c)
		}
		w.compare()
	}
}

func (w *twins) changeEntities() {
	if w.r.IntN(3) == 0 {
		c := w.classes[w.r.IntN(len(w.classes))]
		w.all = append(w.all, &twin{options: w.options, slot: w.store.Add(c.every), class: c})
	}
	if len(w.all) > 0 && w.r.IntN(12) == 0 {
		i := w.r.IntN(len(w.all))
		w.store.Remove(w.all[i].slot)
		w.store.Remove(w.all[i].slot) // has no effect
		same(w.t, false, w.store.Shown(w.all[i].slot))
		w.all = slices.Delete(w.all, i, i+1)
	}
}

// receive adds none, one or several samples around the shown time, or changes the entity otherwise.
func (w *twins) receive(e *twin) {
	burst := 0
	switch w.r.IntN(14) {
	case 13:
		c := w.classes[w.r.IntN(len(w.classes))]
		w.store.SetEvery(e.slot, c.every)
		e.setClass(c)
	case 12:
		col, v, tick := w.r.IntN(columns), float64(w.r.IntN(30))/3, int64(e.class.now)+int64(w.r.IntN(8))-2
		w.store.Reinsert(e.slot, w.origin+entangle.Tick(tick), set.MaskOf(col), func(int) []byte { return memory(v) })
		if col != without {
			e.reinsert(tick, col, v)
		}
	case 0:
		burst = w.r.IntN(12)
		if w.r.IntN(20) == 0 {
			burst = w.r.IntN(2 * MaxSamples)
		}
	case 1:
		cols, shown := w.someValues(2)
		w.store.Rebase(e.slot, cols, w.of(shown))
		e.rebase(shown)
	case 2:
		col := w.r.IntN(columns)
		w.store.RemoveColumns(e.slot, set.MaskOf(col))
		if col == bend && e.has[bend] {
			e.changeCurve()
		}
		e.has[col] = false
	case 3, 4, 5, 6:
		burst = 1
	case 7:
		w.setFunction(e)
	case 8:
		tick := e.newest + int64(w.r.IntN(12)) - 1
		w.store.Hold(e.slot, w.origin+entangle.Tick(tick))
		e.hold(tick)
	}
	for range burst {
		tick := int64(e.class.now) + int64(w.r.IntN(8)) - 2
		switch w.r.IntN(5) {
		case 0:
			tick = e.newest + int64(w.r.IntN(40))
		case 1, 2, 3:
			tick = e.newest + int64(e.class.every)
		}
		cols, changed := w.someValues(3)
		if w.r.IntN(8) == 0 {
			e.jumps++
			w.store.SetTeleports(e.slot, e.jumps)
		}
		ok := w.store.AddSample(e.slot, w.origin+entangle.Tick(tick), cols, w.of(changed))
		same(w.t, !e.started || tick > e.newest, ok)
		e.add(tick, changed)
	}
}

// setFunction gives a column of an entity another function.
func (w *twins) setFunction(e *twin) {
	col, set := w.r.IntN(columns), w.r.IntN(2) == 0
	if set {
		w.store.SetFunction(e.slot, col, ownBytes)
	} else {
		w.store.SetFunction(e.slot, col, nil)
	}
	if col != without && (set || e.own[col]) {
		if e.shown && (len(e.ahead) > 0 || col == beyond && w.goesOn) {
			e.rebase(nil)
		}
		e.own[col] = set
	}
}

// someValues returns new values for some of the columns.
func (w *twins) someValues(oneIn int) (cols set.Mask, changed map[int]float64) {
	changed = map[int]float64{}
	for col := range columns {
		if w.r.IntN(oneIn) == 0 {
			cols.Set(col)
			changed[col] = float64(w.r.IntN(30)) / 3
			if w.r.IntN(8) == 0 {
				changed[col] += 30
			}
		}
	}
	return cols, changed
}

func (w *twins) of(changed map[int]float64) func(col int) []byte {
	return func(col int) []byte {
		same(w.t, false, col == without)
		return memory(changed[col])
	}
}

// advance moves the time of a class, which sometimes stands, jumps or goes back.
func (w *twins) advance(c *twinClass) {
	to := c.now + float64(w.r.IntN(96))/64
	switch w.r.IntN(20) {
	case 0:
		to = c.now - float64(w.r.IntN(640))/64
	case 1:
		to = c.now + float64(w.r.IntN(640))/64
	}
	tick, fraction := math.Floor(to), to-math.Floor(to)
	w.store.Advance(c.every, w.origin+entangle.Tick(int64(tick)), fraction)
	if !c.started || to > c.now {
		c.started, c.now = true, to
	}
	for _, e := range w.all {
		if e.class == c {
			e.advance()
		}
	}
}

// compare compares all shown values. The slots are in any order.
func (w *twins) compare() {
	w.r.Shuffle(len(w.all), func(i, j int) { w.all[i], w.all[j] = w.all[j], w.all[i] })
	for col := range columns {
		slots, want := []Slot{}, []byte{}
		for _, e := range w.all {
			same(w.t, e.shown, w.store.Shown(e.slot))
			if !e.shown || !e.has[col] || col == without {
				continue
			}
			slots, want = append(slots, e.slot), append(want, memory(e.show(col))...)
			to := e.base[col]
			if len(e.ahead) > 0 && !e.teleported() {
				to = e.ahead[0].values[col]
			}
			same(w.t, e.base[col], number(w.store.From(e.slot, col)))
			same(w.t, to, number(w.store.To(e.slot, col)))
			same(w.t, e.share(), w.store.Share(e.slot))
		}
		got := make([]byte, len(want))
		w.store.Select(slots)
		w.store.Show(col, got)
		require.Equal(w.t, want, got, "column %d of slots %v", col, slots)
	}
	same(w.t, len(w.all), w.store.Stats().Slots)
}

// same takes a fraction of the time of require.Equal.
func same[T comparable](t *testing.T, want, got T) {
	t.Helper()
	if want != got {
		t.Fatalf("%v instead of %v", got, want)
	}
}
