package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

const (
	// maxWaitingUpdates bounds the updates of one group that wait for an action.
	// More would be a quarter of a second of them at 60 Hz; then the oldest goes
	// and the group is asked for in full.
	maxWaitingUpdates = 16

	// maxWaitingBytes bounds what waits for one sender, updates and actions
	// together: the most for any queue of a peer. 4,000 entities that all move and
	// change their components 8 times a second, at a round trip of 14 ticks and
	// 30 % loss, stay below. What finds no room is passed over, and its group is
	// asked for in full: that costs a round trip and never the connection.
	maxWaitingBytes = 1 << 20

	// maxUpdateBytes is the part of it that updates may take. Passing over an
	// action is dearer: its group stands still until the full is there.
	maxUpdateBytes = maxWaitingBytes / 2

	// waitingOverhead is what a waiting record counts beside its body.
	waitingOverhead = 64
)

// waiting is a record that arrived before what it needs.
type waiting struct {
	rec   repl.Record
	body  []byte // references and members, from bit 0
	width int    // bits
}

// pool keeps the memory of waiting records and counts it.
type pool struct {
	spare   []*waiting
	bytes   int
	updates int // of bytes, those of updates
}

// maxSpareBody bounds the memory of a record that is kept for the next one.
const maxSpareBody = 1 << 10

// add counts a record in, or out.
func (p *pool) add(w *waiting, sign int) {
	size := sign * (len(w.body) + waitingOverhead)
	p.bytes += size
	if w.rec.Kind == repl.Update {
		p.updates += size
	}
}

func (p *pool) get(rec *repl.Record) *waiting {
	n := len(p.spare)
	if n == 0 {
		return &waiting{rec: *rec}
	}
	w := p.spare[n-1]
	p.spare = p.spare[:n-1]
	w.rec = *rec
	return w
}

func (p *pool) drop(g *group, i int) {
	w := g.waits[i]
	p.add(w, -1)
	g.waits = append(g.waits[:i], g.waits[i+1:]...)
	if len(p.spare) < maxSpare && cap(w.body) <= maxSpareBody {
		p.spare = append(p.spare, w)
	}
}

func (p *pool) dropAll(g *group) {
	for len(g.waits) > 0 {
		p.drop(g, len(g.waits)-1)
	}
}

// hold keeps a record until what it needs has arrived.
func (r *Receiver) hold(g *group, rec *repl.Record) error {
	start := r.in
	if err := r.skip(rec); err != nil {
		return err
	}
	if r.repeats(g, rec) {
		r.stats.Stale++
		return nil
	}
	width := start.RemainingBits() - r.in.RemainingBits()
	size := (width+7)/8 + waitingOverhead
	r.supersede(g, rec)
	if !r.makeRoom(g, rec, size) {
		r.refuse(g, rec)
		return nil
	}
	w := r.waiting.get(rec)
	w.width = width
	w.body = append(w.body[:0], make([]byte, (width+7)/8)...)
	start.Copy(w.body, width)
	r.waiting.add(w, 1)
	g.waits = append(g.waits, w)
	r.stats.Waited++
	if g.known && rec.Tick.Sub(g.waits[0].rec.Tick) > patience {
		r.ask(g)
	}
	return nil
}

// repeats reports whether an action of that place in the sequence waits already.
// Of two at one place the newer counts: the older is of an earlier group under the
// same handle, which a full had gone past, and it came after that group's end.
func (r *Receiver) repeats(g *group, rec *repl.Record) bool {
	if rec.Kind == repl.Update {
		return false
	}
	for i, w := range g.waits {
		if w.rec.Kind != repl.Update && w.rec.Seq == rec.Seq {
			if !w.rec.Tick.Before(rec.Tick) {
				return true
			}
			r.waiting.drop(g, i)
			break
		}
	}
	return g.passed&(1<<rec.Seq) != 0
}

// refuse passes over a record that there is no room to keep. An action's place in
// the sequence is remembered, for when what is before it has come.
func (r *Receiver) refuse(g *group, rec *repl.Record) {
	r.stats.Overflow++
	r.ask(g)
	if rec.Kind != repl.Update {
		g.passed |= 1 << rec.Seq
	}
}

// supersede drops the waiting updates that the new one makes superfluous: those
// of the same structure, older, and with no older base. One that needs a later
// action never displaces one that needs an earlier.
func (r *Receiver) supersede(g *group, rec *repl.Record) {
	if rec.Kind != repl.Update {
		return
	}
	for i := len(g.waits) - 1; i >= 0; i-- {
		w := &g.waits[i].rec
		if w.Kind == repl.Update && w.Seq == rec.Seq && w.Tick.Before(rec.Tick) && !w.Base.Before(rec.Base) {
			r.waiting.drop(g, i)
			r.stats.Replaced++
		}
	}
}

// makeRoom drops the group's oldest updates until the new record fits, and
// reports whether it does. What is dropped was acknowledged, so the sender may
// build on it: the group is asked for in full. The end of a group always fits:
// it has no body, and each group has one.
func (r *Receiver) makeRoom(g *group, rec *repl.Record, size int) bool {
	for !r.waiting.fits(rec, size) || (rec.Kind == repl.Update && g.waitingUpdates() >= maxWaitingUpdates) {
		oldest := g.oldestUpdate()
		if oldest < 0 {
			return false
		}
		r.waiting.drop(g, oldest)
		r.stats.Overflow++
		r.ask(g)
	}
	return true
}

// fits reports whether there is room for a record that counts size.
func (p *pool) fits(rec *repl.Record, size int) bool {
	switch rec.Kind {
	case repl.Gone:
		return true
	case repl.Update:
		return p.updates+size <= maxUpdateBytes
	default:
		return p.bytes+size <= maxWaitingBytes
	}
}

func (g *group) waitingUpdates() (n int) {
	for _, w := range g.waits {
		if w.rec.Kind == repl.Update {
			n++
		}
	}
	return n
}

func (g *group) oldestUpdate() int {
	oldest := -1
	for i, w := range g.waits {
		if w.rec.Kind == repl.Update && (oldest < 0 || w.rec.Tick.Before(g.waits[oldest].rec.Tick)) {
			oldest = i
		}
	}
	return oldest
}

// release applies what waited and can be applied now: of the updates the newest,
// then the next action, and again. What turns out to be lost is passed over.
func (r *Receiver) release(g *group) error {
	if len(g.waits) == 0 && g.passed == 0 {
		return nil
	}
	return r.releaseAll(g)
}

func (r *Receiver) releaseAll(g *group) error {
	for g.known {
		r.skipPassed(g)
		r.dropStale(g)
		i := r.ready(g)
		if i < 0 {
			return nil
		}
		w := g.waits[i]
		if judge(g, &w.rec) == lost {
			r.pass(g, &w.rec)
			r.waiting.drop(g, i)
			continue
		}
		in := r.in
		r.in.Reset(w.body)
		err := r.apply(g, &w.rec)
		r.in = in
		if err != nil {
			return err
		}
	}
	return nil
}

// skipPassed goes on over actions that found no room when they came.
func (r *Receiver) skipPassed(g *group) {
	for next := g.seq.Next(); g.passed&(1<<next) != 0; next = next.Next() {
		g.passed &^= 1 << next
		g.seq = next
		r.ask(g)
	}
}

// ready returns the waiting record to go on with, or -1.
func (r *Receiver) ready(g *group) int {
	best, rank := -1, 0
	for i, w := range g.waits {
		of := w.rank(judge(g, &w.rec))
		if of > rank || of > 0 && of == rank && g.waits[best].rec.Tick.Before(w.rec.Tick) {
			best, rank = i, of
		}
	}
	return best
}

// rank orders what is ready, 0 for what is not: updates of the present structure
// first, because an action may start from what they bring.
func (w *waiting) rank(v verdict) int {
	update := w.rec.Kind == repl.Update
	switch {
	case v == apply && update:
		return 4
	case v == apply:
		return 3
	case v == lost && !update:
		return 2
	case v == lost:
		return 1
	}
	return 0
}

func (r *Receiver) dropStale(g *group) {
	for i := len(g.waits) - 1; i >= 0; i-- {
		if judge(g, &g.waits[i].rec) == drop {
			r.waiting.drop(g, i)
		}
	}
}
