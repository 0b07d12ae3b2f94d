package rewind

import (
	"bytes"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Target is an entity of a View.
type Target struct {
	Slot   Slot
	Entity uint64 // as the caller names it
	// Shown is the time as of which the entity is shown. Of one that is not rewound it is the end of the
	// newest tick.
	Shown   timesync.Shown
	Rewound bool
	Gone    bool // the client has lost it since
	Waited  bool // its movement began when an update arrived that was late, or after a rest

	held entangle.Tick // of the newest update up to Shown
}

// View is what one screen showed. The zero value is ready for use.
type View struct {
	Targets []Target

	history  *History
	received *Received
	mover    mover

	like           like
	places         []uint32      // by slot: the index of its newest target, if there is one
	from, to       []uint32      // places of values, by target
	pairOf         places        // the same for one column
	changed        places        // memory for pairOf, where it differs
	oldest         entangle.Tick // of all values
	placed         bool          // places is made
	share, seconds []float32
	hidden         []hidden
	special        []special       // targets that do not move from one sample to another
	stays          map[uint64]stay // scratch of AddDeparted: by entity, the oldest that is known
	columns        []column
	curve          curve
	one            []byte // scratch: a value
	pair           struct {
		from, to [1]uint32
		share    [1]float32
	}
}

type places struct{ from, to []uint32 }

// hidden are the columns of a target that the client does not get.
type hidden struct {
	target int
	cols   set.Mask
}

// special is a target whose movement begins on the way of another one, or goes on after the last sample.
type special struct {
	target int
	movement
}

// column has the values of the targets in one column.
type column struct {
	known  bool
	values []byte
	absent []bool
}

// curve is scratch memory for the targets of a column that is blended with another one.
type curve struct {
	rows           []int
	from, to       []uint32
	share, seconds []float32
	values         []byte
}

// Reset begins a view of a client, or of nobody if received is nil: without targets.
func (v *View) Reset(h *History, received *Received) {
	v.history, v.received = h, received
	v.Targets, v.special, v.hidden = v.Targets[:0], v.special[:0], v.hidden[:0]
	v.from, v.to, v.placed = v.from[:0], v.to[:0], false
	v.share, v.seconds = v.share[:0], v.seconds[:0]
	if v.stays == nil {
		v.stays = map[uint64]stay{}
	}
	for len(v.columns) < len(h.kinds) {
		v.columns = append(v.columns, column{})
	}
	for i := range v.columns {
		v.columns[i].known = false
	}
	v.mover.times.reset(0)
	v.like.known = false
	h.compare()
	v.oldest = h.newest
	if received != nil && h.count > 0 {
		received.Forget(h.Oldest())
	}
}

// Hide hides columns of the target that was added last.
func (v *View) Hide(cols set.Mask) {
	if !cols.IsZero() && len(v.Targets) > 0 {
		v.hidden = append(v.hidden, hidden{len(v.Targets) - 1, cols})
	}
}

// AddPresent adds an entity that is not rewound: as of the newest tick.
func (v *View) AddPresent(t Target) {
	newest, ok := v.history.Newest()
	if !ok {
		return
	}
	at := v.history.index(newest, t.Slot)
	t.Shown, t.Rewound, t.held = timesync.ShownAt(newest, 0), false, newest
	v.Targets = append(v.Targets, t)
	v.add(at, at, 0, 0)
}

// Add adds an entity of a group that the client has, if the screen showed it at a time. every is the
// interval by which it is shown, and joined the tick since which it is in the group. It returns false if the screen
// did not show it.
func (v *View) Add(g Group, t Target, every int, joined entangle.Tick, now timesync.Shown) (ok bool) {
	rec := v.received.record(g)
	b := bounds{since: rec.since}
	if b.since.Before(joined) {
		b.since = joined
	}
	t.Shown, t.Rewound = now, true
	return v.addBetween(rec, rec.arrived, &b, &t, every)
}

// Client is what View.AddDeparted asks of a client.
type Client interface {
	// Time returns the time as of which entities with an interval were shown.
	Time(every int) timesync.Shown
	// Find returns where the client has an entity now. ok is false if it has none, or may not see it.
	Find(s Slot, entity uint64) (p Place, ok bool)
}

// Place is where a client has an entity.
type Place struct {
	Group   Group
	Joined  entangle.Tick // since when it is in the group
	Present bool          // the client is shown it in the present
}

// stay is the time for which a client has had an entity in one group without an end.
type stay struct {
	since   entangle.Tick
	arrived uint32 // number of the screen before which it arrived
	gone    bool   // the client has lost it since
	present bool   // the entity is in the view as of the newest tick
}

// AddDeparted adds the entities that the client has lost since the time of the screen, and those that have gone
// to another group since. One that is in the view as of the newest tick is not added a second time, and one that the
// client has got again is not added if that may have arrived before the screen: it has ended with that.
func (v *View) AddDeparted(client Client) {
	clear(v.stays)
	for i := v.received.departures.Len() - 1; i >= 0; i-- {
		d := v.received.departures.At(i)
		rec := &d.record
		if !d.kept {
			rec = v.received.record(d.group)
		}
		arrived := d.arrived
		if arrived == neverSeen {
			arrived = rec.arrived
		}
		now := client.Time(d.every)
		if !now.Tick().Before(d.until) {
			continue
		}
		next, any := v.nextStay(client, d)
		moves := any && d.moved && !d.until.Before(next.since)
		v.stays[d.entity] = stay{
			since: d.since, arrived: rec.joinedAt(d.since, arrived), gone: !moves || next.gone, present: any && next.present,
		}
		if any && (next.present || !moves && v.received.mayHaveArrived(next.arrived, d.every, now)) {
			continue
		}
		b := bounds{since: d.since, until: d.until, ends: true, moves: moves}
		t := Target{Slot: d.slot, Entity: d.entity, Shown: now, Rewound: true, Gone: !moves || next.gone}
		if v.addBetween(rec, arrived, &b, &t, d.every) {
			v.Hide(d.hidden)
		}
	}
}

// nextStay returns the time for which the client has had a departed entity after that. ok is false if it has not.
func (v *View) nextStay(client Client, d *departure) (next stay, ok bool) {
	if next, ok = v.stays[d.entity]; ok {
		return next, true
	}
	p, ok := client.Find(d.slot, d.entity)
	if !ok {
		return stay{}, false
	}
	rec := v.received.record(p.Group)
	next = stay{since: rec.since, present: p.Present}
	if next.since.Before(p.Joined) {
		next.since = p.Joined
	}
	next.arrived = rec.joinedAt(next.since, rec.arrived)
	return next, true
}

func (v *View) addBetween(rec *Record, arrived uint32, b *bounds, t *Target, every int) (ok bool) {
	h, m := v.history, &v.mover
	if rec.mask == 0 || h.count == 0 || t.Shown.Tick().Before(b.since) || !v.received.isLongAgo(arrived) && v.received.at(arrived, every) >= t.Shown {
		return false
	}
	if !v.received.hasJoined(rec, b.since, every, t.Shown) {
		return false
	}
	if v.like.is(v.received, rec, b, every, t.Shown) && !h.jumped(v.like.from, v.like.to, t.Slot) {
		v.addLike(t)
		return true
	}
	m.history, m.slot, m.carries = h, t.Slot, h.carries
	if first, ok := m.quick(v.received, rec, b, every, t.Shown); ok {
		t.held = m.last().from
		v.like.set(h, rec, first, every, m.last(), t.Shown)
	} else {
		m.every, m.second = timesync.Shown(every)<<8, timesync.Shown(h.tickRate)<<8
		m.gather(v.received, rec, b, every, t.Shown)
		m.find(t.Shown)
		t.held = m.held(t.Shown)
		l := m.last()
		if m.n > 1 || l.rests && l.from != l.to && m.carries {
			v.special = append(v.special, special{target: len(v.Targets), movement: m.movement})
		}
		t.Waited = !l.rests && (m.n > 1 || l.start != timesync.ShownAt(l.from, 0))
	}
	v.Targets = append(v.Targets, *t)
	if t.held.Before(v.oldest) {
		v.oldest = t.held
	}
	v.add(0, 0, 0, 0)
	v.setPair(len(v.from)-1, m.last(), t.Shown)
	return true
}

// setPair sets the values between which a target is at a time of one of its movements.
func (v *View) setPair(target int, l *leg, now timesync.Shown) {
	h, s := v.history, v.Targets[target].Slot
	fromTick, share := h.clamp(l.from), l.share(now)
	from, to := h.index(fromTick, s), h.index(l.to, s)
	if l.base {
		from = h.scratch(s)
	}
	switch {
	case share >= 1:
		from, share = to, 0
	case h.jumped(l.from, l.to, s):
		to, share = from, 0
	}
	if fromTick.Before(v.oldest) {
		v.oldest = fromTick
	}
	v.from[target], v.to[target], v.share[target] = from, to, share
	if h.curves {
		v.seconds[target] = float32(float64(l.end-l.start) / float64(timesync.Shown(h.tickRate)<<8))
	}
}

// add adds the pair of the target that was added last.
func (v *View) add(from, to uint32, share, seconds float32) {
	v.from, v.to, v.share = append(v.from, from), append(v.to, to), append(v.share, share)
	if v.history.curves {
		v.seconds = append(v.seconds, seconds)
	}
}

// Find returns the index of a target that is not Gone. Entity names it.
func (v *View) Find(s Slot, entity uint64) (target int, ok bool) {
	if !v.placed {
		v.findPlaces()
	}
	if int(s) >= len(v.places) {
		return 0, false
	}
	i := int(v.places[s])
	if i >= len(v.Targets) || v.Targets[i].Slot != s || v.Targets[i].Entity != entity {
		return 0, false
	}
	return i, true
}

func (v *View) findPlaces() {
	v.placed = true
	for i := range v.Targets {
		s := int(v.Targets[i].Slot)
		if s >= len(v.places) {
			v.places = append(v.places, make([]uint32, s+1-len(v.places))...)
		}
		v.places[s] = uint32(i)
	}
}

// Search is Find for any target. It looks at all of them.
func (v *View) Search(entity uint64) (target int, ok bool) {
	for i := range v.Targets {
		if v.Targets[i].Entity == entity {
			return i, true
		}
	}
	return 0, false
}

// Values returns the values of a column of all targets, in their order. absent says which of them did not
// have the column. Both are valid until the next Reset.
func (v *View) Values(col int) (values []byte, absent []bool) {
	c, k := &v.columns[col], &v.history.kinds[col]
	if c.known {
		return c.values, c.absent
	}
	n := len(v.Targets)
	c.known = true
	c.values = slices.Grow(c.values[:0], n*k.Size)[:n*k.Size]
	c.absent = slices.Grow(c.absent[:0], n)[:n]
	v.pairOf.from, v.pairOf.to = v.from, v.to
	v.findAbsent(col, c.absent)
	if k.Each == nil {
		plane := v.history.planes[col]
		for i := range v.Targets {
			at := v.history.index(v.Targets[i].held, v.Targets[i].Slot)
			copy(c.values[i*k.Size:(i+1)*k.Size], plane[int(at)*k.Size:])
		}
		return c.values, c.absent
	}
	for i := range v.special {
		v.findBase(col, &v.special[i])
	}
	v.blend(col, c.values, 0, n)
	for i := range v.special {
		v.carry(col, &v.special[i])
	}
	return c.values, c.absent
}

// findAbsent finds which targets did not have a column.
func (v *View) findAbsent(col int, absent []bool) {
	h := v.history
	if h.isSteady(col, v.oldest) {
		present := h.Slots(col)
		for i := range absent {
			absent[i] = !present.Has(int(v.Targets[i].Slot))
		}
	} else {
		v.findChanges(col, absent)
	}
	for _, hidden := range v.hidden {
		absent[hidden.target] = absent[hidden.target] || hidden.cols.Has(col)
	}
}

// findChanges is findAbsent for a column that some entity has got or lost in the time that the view is of. A
// component is not blended when it is inserted, nor when it is removed.
func (v *View) findChanges(col int, absent []bool) {
	h := v.history
	v.changed.from, v.changed.to = append(v.changed.from[:0], v.from...), append(v.changed.to[:0], v.to...)
	v.pairOf = v.changed
	for i := range v.Targets {
		t := &v.Targets[i]
		if from, to := &v.changed.from[i], &v.changed.to[i]; *from != *to {
			if !h.holds(col, *to) {
				*to = *from
			} else if !h.holds(col, *from) {
				*from = *to
			}
		}
		// What was removed is gone also if the client had not got to know that yet.
		absent[i] = !h.has(col, t.held, t.Slot) || !h.has(col, h.sentAt(t.Shown.Tick()), t.Slot)
	}
}

// blend writes the values of some targets by their pairs.
func (v *View) blend(col int, values []byte, begin, end int) {
	k, h := &v.history.kinds[col], v.history
	from, to := v.pairOf.from, v.pairOf.to
	k.Each(values, h.planes[col], from[begin:end], to[begin:end], v.share[begin:end])
	if k.Curve != nil {
		v.blendCurves(col, values, begin, end)
	}
	if k.TooFar == nil {
		return
	}
	for i := begin; i < end; i++ {
		if a, b := h.value(col, from[i]), h.value(col, to[i]); from[i] != to[i] && k.TooFar(a, b) {
			copy(values[(i-begin)*k.Size:(i-begin+1)*k.Size], a)
		}
	}
}

// blendCurves overwrites the values of targets that have both columns, and are not at rest.
func (v *View) blendCurves(col int, values []byte, begin, end int) {
	k, h, x, from, to := &v.history.kinds[col], v.history, &v.curve, v.pairOf.from, v.pairOf.to
	x.rows, x.from, x.to, x.share, x.seconds = x.rows[:0], x.from[:0], x.to[:0], x.share[:0], x.seconds[:0]
	for i := begin; i < end; i++ {
		t := &v.Targets[i]
		if from[i] == to[i] || !h.has(k.With, t.held, t.Slot) || bytes.Equal(h.value(col, from[i]), h.value(col, to[i])) {
			continue
		}
		x.rows = append(x.rows, i-begin)
		x.from, x.to = append(x.from, from[i]), append(x.to, to[i])
		x.share, x.seconds = append(x.share, v.share[i]), append(x.seconds, v.seconds[i])
	}
	if len(x.rows) == 0 {
		return
	}
	x.values = slices.Grow(x.values[:0], len(x.rows)*k.Size)[:len(x.rows)*k.Size]
	k.Curve(x.values, h.planes[col], h.planes[k.With], x.from, x.to, x.share, x.seconds)
	for i, row := range x.rows {
		copy(values[row*k.Size:(row+1)*k.Size], x.values[i*k.Size:(i+1)*k.Size])
	}
}
