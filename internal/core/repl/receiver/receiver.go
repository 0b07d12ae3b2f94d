package receiver

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var (
	// ErrMalformed means that bytes are not what a sender writes.
	ErrMalformed = errors.New("receiver: malformed replication bytes")
	// ErrOverload means that a peer changes more groups that it never stated in
	// full than the limits allow.
	ErrOverload = errors.New("receiver: more groups without a full than the limits allow")
)

// Receiver is the copy of one sender's groups.
type Receiver struct {
	sink    Sink
	updater Updater // the sink, nil if it is none
	own     Own
	sets    repl.Sets

	groups    table
	strangers int // groups met whose full has not come
	spare     []*group
	waiting   pool
	swept     entangle.Tick
	resync    []repl.Handle
	late      late

	in      bits.Reader
	rec     repl.Record // at hand, as are the following
	set     repl.Mask
	refs    []repl.Ref
	reading repl.Handle // whose body is at hand
	stats   Stats
}

// group is what is held of one group.
type group struct {
	handle  repl.Handle
	known   bool          // its full was applied
	asked   bool          // a full was asked for and has not come yet
	seq     repl.Seq      // of the last action applied or passed over
	held    entangle.Tick // the tick that the copy is at
	passed  uint8         // bit by sequence: an action that found no room to wait
	members []member
	waits   []*waiting
}

type member struct {
	number repl.Member
	slot   repl.Slot
	stated bool // by the full that is being read
}

// New returns an empty copy for a registry of the given number of components.
// own may be nil.
func New(sink Sink, own Own, comps int) *Receiver {
	updater, _ := sink.(Updater)
	return &Receiver{sink: sink, updater: updater, own: own, sets: repl.NewSets(comps)}
}

// Len returns the number of groups that the copy has.
func (r *Receiver) Len() int { return r.groups.n - r.strangers }

// Slot returns the slot of an entity by its id.
func (r *Receiver) Slot(id repl.ID) (repl.Slot, bool) {
	g := r.groups.get(id.Group)
	if g == nil {
		return repl.NoSlot, false
	}
	if m := g.member(id.Member); m != nil {
		return m.slot, true
	}
	return repl.NoSlot, false
}

// Held returns the tick that a group's copy is at.
func (r *Receiver) Held(h repl.Handle) (entangle.Tick, bool) {
	g := r.groups.get(h)
	if g == nil || !g.known {
		return 0, false
	}
	return g.held, true
}

// PollResync returns a group to be asked for again.
func (r *Receiver) PollResync() (h repl.Handle, ok bool) {
	n := len(r.resync)
	if n == 0 {
		return 0, false
	}
	h = r.resync[n-1]
	r.resync = r.resync[:n-1]
	return h, true
}

// Reset forgets everything and leaves the sink's entities alone: what becomes of
// them is the caller's to say.
func (r *Receiver) Reset() {
	r.groups.each(func(g *group) { r.waiting.dropAll(g) })
	r.groups = table{}
	r.resync, r.late = r.resync[:0], late{}
	r.strangers = 0
}

func (g *group) member(number repl.Member) *member {
	for i := range g.members {
		if g.members[i].number == number {
			return &g.members[i]
		}
	}
	return nil
}

// find returns a group, made if it is met for the first time, or nil if there
// is no room for one.
func (r *Receiver) find(rec *repl.Record) *group {
	if g := r.groups.get(rec.Group); g != nil {
		return g
	}
	if r.strangers >= maxStrangers && rec.Kind != repl.Full && !r.sweep(rec.Tick) {
		return nil
	}
	g := r.fresh()
	g.handle = rec.Group
	r.groups.put(g)
	r.strangers++
	return g
}

// fresh returns a group that nothing is known of.
func (r *Receiver) fresh() *group {
	n := len(r.spare)
	if n == 0 {
		return new(group)
	}
	g := r.spare[n-1]
	r.spare = r.spare[:n-1]
	*g = group{members: g.members[:0], waits: g.waits[:0]}
	return g
}

// maxStrangers bounds the groups that something arrived of and whose full did
// not: as many fulls of eight bytes as a sender has under way.
const maxStrangers = 64 << 10 / 8

// patience is how many ticks a record may wait for one before it. After that
// what it waits for is not coming: actions are resent many times a second.
const patience = 256

// sweep forgets groups that never came: stragglers of one that ended look like
// that. It reports whether there is room now.
func (r *Receiver) sweep(now entangle.Tick) bool {
	if now.Sub(r.swept) < patience/4 && r.swept != 0 {
		return false
	}
	r.swept = now
	r.groups.each(func(g *group) {
		if !g.known && (len(g.waits) == 0 || now.Sub(g.waits[len(g.waits)-1].rec.Tick) > patience) {
			r.forget(g)
		}
	})
	return r.strangers < maxStrangers
}

// maxSpare bounds the groups and the waiting records whose memory is kept for
// those to come, and maxSpareMembers the memory of each group.
const (
	maxSpare        = 1 << 10
	maxSpareMembers = 16
)

func (r *Receiver) forget(g *group) {
	if !g.known {
		r.strangers--
	}
	r.waiting.dropAll(g)
	r.groups.drop(g)
	if len(r.spare) < maxSpare && cap(g.members) <= maxSpareMembers {
		r.spare = append(r.spare, g)
	}
}

// ask has a group sent again in full, once until it comes.
func (r *Receiver) ask(g *group) {
	r.stats.Resyncs++
	if !g.asked {
		g.asked = true
		r.resync = append(r.resync, g.handle)
	}
}
