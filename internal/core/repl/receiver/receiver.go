package receiver

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/confirm"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var (
	// ErrMalformed means that no sender writes such bytes.
	ErrMalformed = errors.New("receiver: malformed replication bytes")
	// ErrOverload means that a peer changes more groups without having sent them in full than the
	// limits allow.
	ErrOverload = errors.New("receiver: more groups without a full than the limits allow")
	// ErrBaseline is returned by a Differ for a difference that does not fit the replica: its
	// baseline is unknown, or it leads to an impossible value. The group is then requested in full.
	ErrBaseline = errors.New("receiver: a difference from a value that is not held")
	// ErrNoRoom means that more structure waits than LimitWaiting allows, which can't be requested
	// again.
	ErrNoRoom = errors.New("receiver: more structure waits than there is room for")
	// ErrCrowded means that a peer has more entities, or groups, than a Bounded sink
	// holds at a time.
	ErrCrowded = errors.New("receiver: more entities than there is room for")
)

// Receiver is the replica of one sender's groups.
type Receiver struct {
	sink     Sink
	updater  Updater  // the sink, nil if it is none
	outdater Outdater // the same
	differ   Differ   // the same, nil also if no component is sent as differences
	bounded  Bounded  // as well
	spawner  Spawner  // as well
	own      Own
	sets     repl.Sets

	groups    table
	strangers int // groups with records but without a full
	spare     []*group
	waiting   pool
	requests  requests
	away      map[repl.ID]place // entities that are not in the group of their id
	adrift    adrift
	needy     needy
	confirmed confirm.Ticks
	predicted predictedSet
	moment    Moment

	now    entangle.Tick // newest tick that anything named
	heard  bool
	swept  entangle.Tick // when strangers were last forgotten
	looked entangle.Tick // when the waiting records were last examined

	in    bits.Reader
	rec   record // the current one, as are the following
	set   set.Mask
	refs  []repl.Ref
	needs []repl.Need
	joins []join
	moves []move
	ousts []oust

	overtaken []*waiting
	stats     Stats

	plain  plain
	usuals usual
	// spawned is the ids of the current run of usual fulls.
	spawned []repl.ID
}

// New returns an empty replica for a registry of the given number of components. own may be nil.
func New(sink Sink, own Own, comps int) *Receiver {
	updater, _ := sink.(Updater)
	outdater, _ := sink.(Outdater)
	r := &Receiver{sink: sink, updater: updater, outdater: outdater, own: own, sets: repl.NewSets(comps)}
	r.waiting.most = DefaultWaitingBytes
	r.bounded, _ = sink.(Bounded)
	r.spawner, _ = sink.(Spawner)
	r.predicted.sink, _ = sink.(Predictor)
	if differ, ok := sink.(Differ); ok {
		if deltas := differ.Deltas(); !deltas.IsZero() {
			r.differ = differ
		}
	}
	return r
}

// Len returns the number of groups in the replica.
func (r *Receiver) Len() int { return r.groups.n - r.strangers }

// Slot returns the slot of an entity by its id, whatever group it is in now.
func (r *Receiver) Slot(id repl.ID) (repl.Slot, bool) {
	p, ok := r.locate(id)
	if !ok {
		return repl.NoSlot, false
	}
	return p.slot, true
}

// Held returns the tick of a group's replica.
func (r *Receiver) Held(h repl.Handle) (entangle.Tick, bool) {
	g := r.groups.get(h)
	if g == nil || !g.known {
		return 0, false
	}
	return g.held, true
}

// ConfirmedTick returns the newest tick that the sender marked and of which everything marked was
// applied. ok is false before the first. The tick only rises.
func (r *Receiver) ConfirmedTick() (tick entangle.Tick, ok bool) { return r.confirmed.Newest() }

// PollResync returns a group to be requested again.
func (r *Receiver) PollResync() (h repl.Handle, ok bool) { return r.requests.poll() }

// hear notes the tick of an arrived record.
func (r *Receiver) hear(tick entangle.Tick) {
	if !r.heard || r.now.Before(tick) {
		r.now, r.heard = tick, true
	}
}
