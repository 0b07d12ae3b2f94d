package receiver

import (
	mathbits "math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// maxWaitingUpdates bounds the updates of one group that wait for an action. A sender
	// has as many different bases under way as actions, and of one base the newest is kept.
	// For more the oldest goes.
	maxWaitingUpdates = 16

	// maxWaitingActions bounds the actions of one group that wait: for one before
	// them, of which there are few, or for other groups. More find no room. Those that
	// can't be passed over do, up to twice as many.
	maxWaitingActions = 64

	// DefaultWaitingBytes bounds what waits for one sender, updates and actions
	// together: the most for any queue of a peer. 4,000 entities that all move and
	// change their components 8 times a second, at a round trip of 14 ticks and
	// 30 % loss, stay below. A change of one group alone that finds no room is passed over, and
	// its group asked for in full, which costs a round trip. Structure that joins groups, and the
	// end of a group, can't be asked for again: it takes the room of all others, and where that is
	// not enough the connection ends.
	DefaultWaitingBytes = 1 << 20

	// waitingOverhead is the size charged for a waiting record beside its body, and needBytes the
	// size charged for each need.
	waitingOverhead = 64
	needBytes       = 8
)

// waiting is a record that arrived before others that it needs.
type waiting struct {
	rec   record
	since entangle.Tick // from when on something waits in its place
	size  int
	lost  bool        // it can't be applied, and is kept for what it says of entities that leave or come
	body  []byte      // what stands behind the needs, from bit 0
	needs []repl.Need // those that were not met when it was last looked at
}

// pool keeps the memory of waiting records and counts it.
type pool struct {
	spare   []*waiting
	groups  []*group // with waiting records, in any order
	left    int      // how many of groups, from the first on, the current search for overdue ones has not reached
	most    int      // bytes
	bytes   int
	updates int // of bytes, those of updates
}

// LimitWaiting sets how many bytes of records may wait; at first DefaultWaitingBytes.
func (r *Receiver) LimitWaiting(bytes int) { r.waiting.most = bytes }

// WaitingLimit returns how many bytes of records may wait.
func (r *Receiver) WaitingLimit() int { return r.waiting.most }

// maxSpareBody and maxSpareNeeds bound the memory of a record that is kept for the
// next one.
const (
	maxSpareBody  = 1 << 10
	maxSpareNeeds = 1 << 6
	leastBody     = 1 << 6
)

// over reports whether more waits than may.
func (p *pool) over() bool { return p.bytes > p.most }

// countBytes counts a record in, or out.
func (p *pool) countBytes(w *waiting, sign int) {
	p.bytes += sign * w.size
	if w.rec.Kind == repl.Update {
		p.updates += sign * w.size
	}
}

func (p *pool) get(rec *record) *waiting {
	n := len(p.spare)
	if n == 0 {
		return &waiting{rec: *rec, body: make([]byte, 0, leastBody)}
	}
	w := p.spare[n-1]
	p.spare = p.spare[:n-1]
	w.rec, w.lost = *rec, false
	return w
}

// addWaiting adds a record to those of a group.
func (p *pool) addWaiting(g *group, w *waiting) {
	p.countBytes(w, 1)
	if g.waits = append(g.waits, w); len(g.waits) == 1 {
		p.groups = append(p.groups, g)
		g.inPool = len(p.groups)
	}
}

func (p *pool) dropWaiting(g *group, i int) {
	w := g.waits[i]
	p.countBytes(w, -1)
	if g.waits = append(g.waits[:i], g.waits[i+1:]...); len(g.waits) == 0 {
		p.removeGroup(g)
	}
	if len(p.spare) < maxSpare && cap(w.body) <= maxSpareBody && cap(w.needs) <= maxSpareNeeds {
		p.spare = append(p.spare, w)
	}
}

// removeGroup removes a group from groups. The last one takes its place.
func (p *pool) removeGroup(g *group) {
	last := len(p.groups) - 1
	moved := p.groups[last]
	p.groups[g.inPool-1], moved.inPool = moved, g.inPool
	p.groups[last], g.inPool = nil, 0
	p.groups = p.groups[:last]
}

func (p *pool) dropAll(g *group) {
	for len(g.waits) > 0 {
		p.dropWaiting(g, len(g.waits)-1)
	}
}

// grow makes the body so long. Its room is a power of two, so that it grows a few times at
// most, and never beyond what the pool takes back for a body that the pool has room for.
func (w *waiting) grow(length int) {
	if cap(w.body) < length {
		w.body = make([]byte, length, 1<<mathbits.Len(uint(length-1)))
	}
	w.body = w.body[:length]
}

// hold keeps a record, with the needs at hand, until it can be applied.
func (r *Receiver) hold(g *group, rec *record) error {
	start := r.in
	if err := r.skip(rec); err != nil {
		return err
	}
	if r.repeats(g, rec) {
		r.stats.Stale++
		return nil
	}
	if rec.Kind == repl.Full {
		g.asked = false
	}
	since := r.supersede(g, rec)
	switch {
	case rec.Kind == repl.Update || rec.passable(r.needs):
		if !r.makeRoom(g, rec, r.sizeFrom(start)) {
			r.refuse(g, rec)
			return nil
		}
	case rec.Kind == repl.Gone && rec.at-g.at > maxWaitingActions:
		r.in = start // some action before it may have been passed over without a note
		return r.apply(g, rec)
	case g.waitingActions() >= 2*maxWaitingActions:
		return ErrNoRoom
	}
	r.keep(g, rec, start, since)
	r.stats.Waited++
	if r.late(g, rec) {
		r.ask(g)
	}
	return nil
}

// passable reports whether a group that is asked for in full gets back all that an action says:
// what comes to be of the group's own members. What joins groups is said once, since it counts
// for several, and so is the end of a group. What became of those that left, a full does not say.
func (rec *record) passable(needs []repl.Need) bool {
	return rec.Kind == repl.Change && !rec.leaves && !rec.takes && len(needs) == 0
}

// sizeFrom returns what a record counts that was read from start on, with the needs at hand.
func (r *Receiver) sizeFrom(start bits.Reader) int {
	width := start.RemainingBits() - r.in.RemainingBits()
	return (width+7)/8 + len(r.needs)*needBytes + waitingOverhead
}

// keep makes a record wait that was read from start on, with the needs at hand.
func (r *Receiver) keep(g *group, rec *record, start bits.Reader, since entangle.Tick) *waiting {
	width := start.RemainingBits() - r.in.RemainingBits()
	w := r.waiting.get(rec)
	w.size, w.since = r.sizeFrom(start), since
	if w.needs = append(w.needs[:0], r.needs...); len(w.needs) > 0 {
		r.needy.addGroup(g)
	}
	w.grow((width + 7) / 8)
	start.Copy(w.body, width)
	r.waiting.addWaiting(g, w)
	return w
}

// makeWay drops what can be had again, until no more waits than may: updates first, since most of
// them are sent again anyway. It reports whether that was enough.
func (r *Receiver) makeWay() bool {
	p := &r.waiting
	for at := len(p.groups) - 1; at >= 0 && p.over() && p.updates > 0; at-- {
		g := p.groups[at]
		for i := g.oldestUpdate(); i >= 0 && p.over(); i = g.oldestUpdate() {
			r.refuse(g, &g.waits[i].rec)
			p.dropWaiting(g, i)
		}
	}
	for at := len(p.groups) - 1; at >= 0 && p.over(); at-- {
		g := p.groups[at]
		for i := len(g.waits) - 1; i >= 0 && p.over(); i-- {
			if w := g.waits[i]; w.rec.passable(w.needs) {
				r.refuse(g, &w.rec)
				p.dropWaiting(g, i)
			}
		}
	}
	return !p.over()
}

// late reports whether a group has waited longer than patience, by the tick of what
// arrives. One of which nothing is known is on its way, unless its full is here.
func (r *Receiver) late(g *group, rec *record) bool {
	return (g.known || g.holdsFull()) && slices.ContainsFunc(g.waits, func(w *waiting) bool { return rec.Tick.Sub(w.since) > patience })
}

// overdue asks for the groups of which something has waited longer than patience,
// each once until its full comes.
// The end of a group is not put off any longer: nothing more can be asked of it. A call examines
// lookEffort groups at most, and the next call examines the others: the ticks of a hostile peer may jump,
// and each jump causes a search.
func (r *Receiver) overdue() error {
	p := &r.waiting
	if p.left == 0 {
		p.left, r.looked = len(p.groups), r.now
	}
	for range lookEffort {
		if p.left = min(p.left, len(p.groups)); p.left == 0 {
			break
		}
		p.left--
		g := p.groups[p.left]
		if !r.late(g, &record{Record: repl.Record{Tick: r.now}}) {
			continue
		}
		if end := g.lateEnd(r.now); end != nil {
			if err := r.applyWaiting(g, end); err != nil {
				return err
			}
		} else if !g.asked {
			r.ask(g)
		}
	}
	return nil
}

// lateEnd returns the end of the group if it has waited longer than patience, or nil.
func (g *group) lateEnd(now entangle.Tick) *waiting {
	for _, w := range g.waits {
		if g.known && w.rec.Kind == repl.Gone && now.Sub(w.since) > patience {
			return w
		}
	}
	return nil
}

// repeats reports whether an action waits already, or found no room when it came.
func (r *Receiver) repeats(g *group, rec *record) bool {
	if rec.Kind == repl.Update {
		return false
	}
	for _, w := range g.waits {
		if w.rec.Kind != repl.Update && w.rec.at == rec.at {
			return true
		}
	}
	return g.passed&g.bit(rec.at) != 0
}

// refuse skips a record that there is no room to keep. An update that waits for a missing action
// proves nothing to its sender, which sends the changes again once that action is acknowledged. An
// action that waits for other groups has been acknowledged, so that the updates behind it count as
// arrived: their group is requested in full. An action's place in the sequence is remembered, until
// all earlier ones have arrived.
func (r *Receiver) refuse(g *group, rec *record) {
	r.stats.Overflow++
	switch {
	case rec.Kind != repl.Update:
		r.stats.Passed++
		g.passed |= g.bit(rec.at)
	case !g.holdsNeeds():
		return
	}
	r.ask(g)
}

// supersede drops the waiting updates that the new one makes superfluous: those
// that are older, and have no older base. One that needs a later action never
// displaces one that needs an earlier. It returns since when something has waited in the
// place that the new one takes.
func (r *Receiver) supersede(g *group, rec *record) (since entangle.Tick) {
	if since = rec.Tick; rec.Kind != repl.Update {
		return since
	}
	for i := len(g.waits) - 1; i >= 0; i-- {
		w := &g.waits[i].rec
		if w.Kind == repl.Update && w.Tick.Before(rec.Tick) && !w.Base.Before(rec.Base) {
			if g.waits[i].since.Before(since) {
				since = g.waits[i].since
			}
			r.waiting.dropWaiting(g, i)
			r.stats.Replaced++
		}
	}
	return since
}

// makeRoom drops the group's oldest updates until the new record fits, and
// reports whether it does.
func (r *Receiver) makeRoom(g *group, rec *record, size int) bool {
	if rec.Kind != repl.Update && (g.waitingActions() >= maxWaitingActions || rec.at-g.at > maxWaitingActions) {
		return false
	}
	for !r.waiting.fits(rec, size) || (rec.Kind == repl.Update && g.waitingUpdates() >= maxWaitingUpdates) {
		oldest := g.oldestUpdate()
		if oldest < 0 {
			return false
		}
		r.refuse(g, &g.waits[oldest].rec)
		r.waiting.dropWaiting(g, oldest)
	}
	return true
}

// fits reports whether there is room for a record that counts size. Updates take half of it: most of
// those that find no room are sent again anyway. Passing over an action is dearer, since its
// group stands still until the full is there.
func (p *pool) fits(rec *record, size int) bool {
	if rec.Kind == repl.Update && p.updates+size > p.most/2 {
		return false
	}
	return p.bytes+size <= p.most
}

func (g *group) waitingUpdates() (n int) {
	for _, w := range g.waits {
		if w.rec.Kind == repl.Update {
			n++
		}
	}
	return n
}

func (g *group) waitingActions() int { return len(g.waits) - g.waitingUpdates() }

func (g *group) oldestUpdate() int {
	oldest := -1
	for i, w := range g.waits {
		if w.rec.Kind == repl.Update && (oldest < 0 || w.rec.Tick.Before(g.waits[oldest].rec.Tick)) {
			oldest = i
		}
	}
	return oldest
}

// holdsFull reports whether a full of the group waits.
func (g *group) holdsFull() bool {
	for _, w := range g.waits {
		if w.rec.Kind == repl.Full {
			return true
		}
	}
	return false
}

// holdsNeeds reports whether an action of the group waits for other groups.
func (g *group) holdsNeeds() bool {
	for _, w := range g.waits {
		if len(w.needs) > 0 {
			return true
		}
	}
	return false
}
