package predict

import (
	"reflect"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// MaxExplained is the largest number of rollbacks for which a client keeps the reasons.
const MaxExplained = 1 << 12

// Why records the reasons of a client's rollbacks for developers: the mispredictions, the inputs of
// the entity, and the cost. It keeps the last rollbacks, and copies raw bytes; text is made on
// demand. A nil Why records nothing, and all its methods do nothing.
//
// In each frame with mispredictions, call Found for each of them. Then call Begin and End around
// the rollback, or Drop if there is no rollback.
type Why struct {
	types whyTypes
	sids  whySIDs
	used  whyInputs
	clock func() time.Time

	ring  []whyEntry // when it is full, the oldest is at index count % len
	count int        // the number of all rollbacks

	oldest, newest whyCause                // the findings of this frame with the oldest and the newest tick
	any            bool                    // oldest and newest are valid
	entities       map[ecs.Entity]struct{} // mispredicted entities
	began          time.Time
	open           bool // between Begin and End
}

// WhyConfig configures a Why.
type WhyConfig struct {
	World    *ecs.World
	Protocol *protocol.Protocol
	Inputs   *input.Inputs
	Clock    func() time.Time
	Keep     int // rollbacks, 1 to MaxExplained
	Ticks    int // the number of ticks for which used inputs are kept
}

// WhyFinding is one misprediction.
type WhyFinding struct {
	Reason RollbackReason
	// Tick is the tick at the end of which the state differed. With ByInput, it is the tick in
	// which the input takes effect.
	Tick entangle.Tick
	// Entity is the mispredicted entity, zero for none.
	Entity ecs.Entity
	// Column is the number of the component; with ByResource that of the resource. It is below 0 if
	// the finding is about no component in particular.
	Column int
	// Predicted and Confirmed are the memory of the two values, which Found copies. nil means that
	// there is no value; the value of a tag is empty and not nil.
	Predicted, Confirmed []byte
	// PredictedTarget and ConfirmedTarget are the targets of a relation.
	PredictedTarget, ConfirmedTarget ecs.Entity
}

// whyEntry is one rollback.
type whyEntry struct {
	cause     whyCause
	sid       components.SID
	from, to  entangle.Tick
	more      int
	used, now usedInput
	cost      time.Duration
}

// NewWhy returns a Why without rollbacks.
func NewWhy(c WhyConfig) *Why {
	return &Why{
		types: newWhyTypes(c.Protocol), sids: newWhySIDs(c), used: newWhyInputs(c), clock: c.Clock,
		ring: make([]whyEntry, 0, c.Keep), entities: map[ecs.Entity]struct{}{},
	}
}

// target returns the tick to which a finding requires a rollback.
func (f *WhyFinding) target() entangle.Tick {
	if f.Reason == ByInput {
		return f.Tick - 1
	}
	return f.Tick
}

// whyCause is a finding with memory of its own.
type whyCause struct {
	WhyFinding
	predicted, confirmed keptValue
}

func (c *whyCause) copyFinding(f *WhyFinding) {
	c.WhyFinding = *f
	c.predicted.copyValue(f.Predicted)
	c.confirmed.copyValue(f.Confirmed)
	c.Predicted, c.Confirmed = c.predicted.bytes(), c.confirmed.bytes()
}

// keptValue is a copy of a value, in memory that is reused for the next one.
type keptValue struct {
	memory []byte
	there  bool
}

func (k *keptValue) copyValue(value []byte) {
	k.memory, k.there = append(k.memory[:0], value...), value != nil
}

// bytes returns the value, nil if there is none.
func (k *keptValue) bytes() []byte {
	switch {
	case !k.there:
		return nil
	case k.memory == nil:
		return []byte{}
	}
	return k.memory
}

// Found records a misprediction. The cause of a rollback is the first finding for the tick to which
// the client rolls back.
func (y *Why) Found(f WhyFinding) {
	if y == nil {
		return
	}
	if !f.Entity.IsZero() {
		y.entities[f.Entity] = struct{}{}
	}
	if !y.any || f.target().Before(y.oldest.target()) {
		y.oldest.copyFinding(&f)
	}
	if !y.any || y.newest.target().Before(f.target()) {
		y.newest.copyFinding(&f)
	}
	y.any = true
}

// Begin records that the client rolls back to the end of the tick from, and replays the ticks after
// it, up to the tick to.
func (y *Why) Begin(from, to entangle.Tick) {
	if y == nil {
		return
	}
	e := y.nextEntry()
	cause := &y.oldest
	if y.newest.target() == from {
		cause = &y.newest
	}
	if !y.any {
		cause.copyFinding(&WhyFinding{Reason: ByRequest, Tick: from, Column: -1})
	}
	e.cause.copyFinding(&cause.WhyFinding)
	e.from, e.to, e.more, e.cost = from, to, len(y.entities), 0
	if !cause.Entity.IsZero() {
		e.more--
	}
	e.sid = y.sids.sidOf(cause.Entity)
	y.used.copyInput(&e.used, cause.Tick, cause.Entity)
	e.now.none()
	y.Drop()
	y.began, y.open = y.clock(), true
}

// nextEntry returns the entry for the next rollback.
func (y *Why) nextEntry() *whyEntry {
	y.count++
	if len(y.ring) < cap(y.ring) {
		y.ring = y.ring[:len(y.ring)+1]
	}
	return &y.ring[(y.count-1)%cap(y.ring)]
}

// whySIDs finds the ids that entities have on all machines, if the game uses them.
type whySIDs struct {
	world *ecs.World
	id    ecs.ID
	on    bool
}

func newWhySIDs(c WhyConfig) whySIDs {
	t := reflect.TypeFor[components.SID]()
	if registry.Of(c.Protocol).ComponentOf(t) == nil {
		return whySIDs{}
	}
	return whySIDs{world: c.World, id: ecs.TypeID(c.World, t), on: true}
}

func (s *whySIDs) sidOf(e ecs.Entity) (sid components.SID) {
	if s.on && !e.IsZero() && s.world.Alive(e) && s.world.Has(e, s.id) {
		sid = *(*components.SID)(s.world.Get(e, s.id))
	}
	return sid
}

// End records that the replay is over.
func (y *Why) End() {
	if y == nil || !y.open {
		return
	}
	e := &y.ring[(y.count-1)%cap(y.ring)]
	e.cost = y.clock().Sub(y.began)
	if e.cause.Reason == ByInput {
		y.used.copyInput(&e.now, e.cause.Tick, e.cause.Entity)
	}
	y.open = false
}

// Drop discards the findings: they lead to no rollback.
func (y *Why) Drop() {
	if y == nil {
		return
	}
	clear(y.entities)
	y.any = false
}

// Reports returns the rollbacks that are kept, the oldest first.
func (y *Why) Reports() []RollbackReport {
	if y == nil || y.count == 0 {
		return nil
	}
	list := make([]RollbackReport, 0, len(y.ring))
	for i := y.count - len(y.ring); i < y.count; i++ {
		list = append(list, y.types.report(&y.ring[i%cap(y.ring)]))
	}
	return list
}
