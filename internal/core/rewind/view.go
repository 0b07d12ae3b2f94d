package rewind

import (
	"sort"

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
}

// Entities are entities of consecutive slots in consecutive groups.
type Entities struct {
	Slot   Slot            // of the first
	Group  Group           // of the first
	Every  int             // the interval by which they are shown
	Names  []uint64        // of each, as the caller names it
	Joined []entangle.Tick // since when each is in its group
	Gone   bool            // they have ended, and clients are not sent that yet
	Hidden bool            // they have ended because the client may not see them any more
}

// Part returns the entities from an index on and before another.
func (e *Entities) Part(from, to int) Entities {
	return Entities{
		Slot: e.Slot + Slot(from), Group: Group{e.Group.Private, e.Group.Index + from}, Every: e.Every, Gone: e.Gone, Hidden: e.Hidden,
		Names: e.Names[from:to], Joined: e.Joined[from:to],
	}
}

// View is what one screen showed. The zero value is ready for use.
type View struct {
	history  *History
	received *Received
	entities []uint64 // the targets, as the caller names them
	runs     []run    // of targets
	alike    alike
	mover    mover
	special  []movement // of targets that move on from no update, or beyond the last one
	hidden   []hidden
	stays    map[uint64]stay // scratch of AddDeparted: by entity, the oldest that is known
	columns  []column
	index    index
	scratch  scratch
}

// run is a part of the targets: entities of consecutive slots, which are shown between the same two ticks.
type run struct {
	first   Target // without Entity
	at      int    // its index
	count   int
	held    entangle.Tick // of the newest update up to the time that is shown
	there   entangle.Tick // the time, or the last tick before the entity ended: what was removed by then is not shown
	oldest  entangle.Tick // of which there may be values; see History.SetReach
	late    bool          // what is not blended is that of like
	like    uint32        // place in the history
	special int           // number of its entry in View.special, from 1; 0: it moves from one sample to another
	pair
}

// pair is the values between which the first target of a run is shown.
type pair struct {
	from, to       uint32 // places in the history
	share, seconds float32
}

// part returns one target of a run.
func (r *run) part(i int) run {
	one := *r
	one.first.Slot += Slot(i)
	one.at, one.count = r.at+i, 1
	one.from, one.to = r.from+uint32(i), r.to+uint32(i)
	return one
}

// hidden are the columns of a target that the client does not get.
type hidden struct {
	target int
	cols   set.Mask
}

// Reset begins a view of a client, or of nobody if received is nil: without targets.
func (v *View) Reset(h *History, received *Received) {
	v.history, v.received = h, received
	v.entities, v.runs, v.special, v.hidden = v.entities[:0], v.runs[:0], v.special[:0], v.hidden[:0]
	v.alike.known, v.index.known, v.mover.of.known = false, false, false
	if v.stays == nil {
		v.stays = map[uint64]stay{}
	}
	for len(v.columns) < len(h.kinds) {
		v.columns = append(v.columns, column{})
	}
	for i := range v.columns {
		v.columns[i].known = false
	}
	if received != nil && h.count > 0 {
		received.Forget(h.Oldest())
	}
}

// Len returns the number of targets.
func (v *View) Len() int { return len(v.entities) }

// Entities returns the targets, as the caller names them. It is valid until the next Reset.
func (v *View) Entities() []uint64 { return v.entities }

// Target returns a target, from 0 to Len.
func (v *View) Target(i int) Target {
	r := &v.runs[sort.Search(len(v.runs), func(k int) bool { return v.runs[k].at > i })-1]
	t := r.first
	t.Slot, t.Entity = t.Slot+Slot(i-r.at), v.entities[i]
	return t
}

// Count returns the number of targets that are rewound, and of those that waited.
func (v *View) Count() (rewound, waited int) {
	for i := range v.runs {
		if r := &v.runs[i]; r.first.Rewound {
			rewound += r.count
			if r.first.Waited {
				waited += r.count
			}
		}
	}
	return rewound, waited
}

// Find returns the index of a target.
func (v *View) Find(entity uint64) (target int, ok bool) { return v.index.find(v.entities, entity) }

// Hide hides columns of the target that was added last.
func (v *View) Hide(cols set.Mask) {
	if !cols.IsZero() && len(v.entities) > 0 {
		v.hidden = append(v.hidden, hidden{len(v.entities) - 1, cols})
	}
}

// push adds a run of targets. The caller adds the entities of the run next.
func (v *View) push(r run) {
	r.at = len(v.entities)
	v.runs = append(v.runs, r)
}

// AddPresent adds entities that are not rewound: as of the newest tick.
func (v *View) AddPresent(e *Entities) {
	newest, ok := v.history.Newest()
	if !ok {
		return
	}
	at := v.history.index(newest, e.Slot)
	v.push(run{first: Target{Slot: e.Slot, Shown: timesync.ShownAt(newest, 0)}, count: len(e.Names), held: newest, oldest: newest, pair: pair{from: at, to: at}})
	v.entities = append(v.entities, e.Names...)
}

// Add adds those entities that the screen showed at a time, of groups that the client has. It returns how many
// these are.
func (v *View) Add(e *Entities, now timesync.Shown) (added int) {
	records := v.received.records(e.Group, len(e.Names))
	for i := 0; i < len(records); {
		if n := v.addAlike(e, i, records[i:], now); n > 0 {
			added, i = added+n, i+n
			continue
		}
		b := bounds{since: records[i].sentAsOf(e.Joined[i]), until: records[i].seen[0], ends: e.Hidden}
		t := Target{Slot: e.Slot + Slot(i), Entity: e.Names[i], Shown: now, Rewound: true, Gone: e.Gone}
		if v.addBetween(&records[i], records[i].arrived, &b, &t, e.Every) {
			added++
		}
		i++
	}
	return added
}

// Client is what View.AddDeparted asks of a client.
type Client interface {
	// Time returns the time as of which entities with an interval were shown.
	Time(every int) timesync.Shown
	// Find returns where the client has an entity now. ok is false if it has none.
	Find(s Slot, entity uint64) (p Place, ok bool)
}

// Place is where a client has an entity.
type Place struct {
	Group  Group
	Joined entangle.Tick // since when it is in the group
	Gone   bool          // it has ended, or the client may not see it any more, and is not sent that yet
	Hidden set.Mask      // its columns that the client does not get
}

// stay is the time for which a client has had an entity in one group without an end.
type stay struct {
	since   entangle.Tick
	arrived arrival
	gone    bool // the client has lost it since
	listed  bool // the entity is in the view by that time or by a later one
	hidden  set.Mask
}

// AddDeparted adds the entities that the client has lost since the time of the screen, and those that have gone
// to another group since, after all others. One that is in the view already is not added: it may be shown in the present
// now, or at another time, since it has another interval. One that the client has got again is not added if
// that has arrived before the screen: it has ended with that.
func (v *View) AddDeparted(client Client) {
	clear(v.stays)
	v.index.known = false
	for i := v.received.departures.Len() - 1; i >= 0; i-- {
		d := v.received.departures.At(i)
		rec := &d.record
		if !d.kept {
			rec = v.received.record(d.group)
		}
		arrived := d.arrived
		if !arrived.known {
			arrived = rec.arrived
		}
		now := client.Time(d.every)
		if !now.Tick().Before(d.until) && !v.received.isLate(d, now, v.history.oldestShown(d.every)) {
			continue
		}
		next, any := v.nextStay(client, d)
		moves := any && d.moved && !d.until.Before(next.since)
		st := stay{since: d.since, arrived: rec.joinedBy(d.since, arrived), gone: !moves || next.gone, listed: any && next.listed, hidden: d.hidden}
		if !any || !st.listed && (moves || !v.received.hasReplaced(next.arrived, d.every, now)) {
			b := bounds{since: d.since, until: d.until, ends: true, moves: moves}
			t := Target{Slot: d.slot, Entity: d.entity, Shown: now, Rewound: true, Gone: st.gone}
			if st.listed = v.addBetween(rec, arrived, &b, &t, d.every); st.listed {
				hidden := d.hidden
				if v.mover.last().to == d.until { // the first value that the client has of the next stay
					hidden = hidden.Or(next.hidden)
				}
				v.Hide(hidden)
			}
		}
		v.stays[d.entity] = st
	}
	v.index.known = false // it lacks what was added
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
	next = stay{since: rec.sentAsOf(p.Joined), gone: p.Gone, hidden: p.Hidden}
	_, next.listed = v.Find(d.entity)
	next.arrived = rec.joinedBy(next.since, rec.arrived)
	return next, true
}

// addBetween adds an entity between two of its samples, as a run of its own.
func (v *View) addBetween(rec *Record, arrived arrival, b *bounds, t *Target, every int) (ok bool) {
	h, m := v.history, &v.mover
	if rec.mask == 0 || h.count == 0 || t.Shown.Tick().Before(b.since) || v.received.at(arrived, every) >= t.Shown {
		return false
	}
	if !v.received.hasJoined(rec, b.since, every, t.Shown) {
		return false
	}
	m.history, m.slot, m.carries = h, t.Slot, h.carries
	m.every, m.second = timesync.Shown(every)<<8, timesync.Shown(h.tickRate)<<8
	usual := m.move(v.received, rec, b, every, t.Shown)
	l, oldest := m.last(), h.oldestShown(every)
	from := l.from
	if l.rests {
		from = l.to
	}
	if from.Before(oldest) {
		if !rec.sawSame(from, oldest) {
			return false // it would be shown as of the oldest tick, at which it may have been hidden
		}
		from = oldest
	}
	if l.rests && v.received.structureAt(rec, from, every) >= t.Shown {
		return false // its structure was not on the screen yet, and what was is forgotten
	}
	t.Waited = !l.rests && (m.n > 1 || l.start != timesync.ShownAt(l.from, 0))
	r := run{first: *t, count: 1, there: t.Shown.Tick(), oldest: oldest}
	r.setLate(h, l)
	if b.ends && !r.there.Before(b.until) {
		r.there = b.until - 1 // its end is late
	}
	r.held, r.pair = h.clampFrom(r.oldest, m.held(t.Shown)), h.pairAt(l, t.Slot, t.Shown, r.oldest)
	if m.n > 1 || l.rests && l.from != l.to && m.carries {
		v.special = append(v.special, m.movement)
		r.special = len(v.special)
	}
	v.push(r)
	v.entities = append(v.entities, t.Entity)
	if usual && !t.Gone {
		v.alike.set(v, rec, every)
	}
	return true
}

// setLate sets where what is not blended comes from in a movement.
func (r *run) setLate(h *History, l *leg) {
	if r.late = l.late; r.late {
		r.like = h.index(h.clampFrom(r.oldest, l.like), r.first.Slot)
	}
}

// pairAt returns the values between which an entity is at a time of one of its movements, none of them of before the
// oldest tick.
func (h *History) pairAt(l *leg, s Slot, now timesync.Shown, oldest entangle.Tick) pair {
	p := pair{from: h.index(h.clampFrom(oldest, l.from), s), to: h.index(h.clampFrom(oldest, l.to), s), share: l.share(now), seconds: float32(float64(l.end-l.start) / float64(timesync.Shown(h.tickRate)<<8))}
	if l.base {
		p.from = h.scratch(s)
	}
	switch {
	case p.share >= 1:
		p.from, p.share = p.to, 0
	case h.jumped(l.from, l.to, s):
		p.to, p.share = p.from, 0
	}
	return p
}
