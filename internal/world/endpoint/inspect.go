package endpoint

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// SentEntity describes an entity's data in one record that was sent to a client: in a message of
// structure or a frame of values, whether or not it arrives.
type SentEntity struct {
	Client entangle.ClientID
	Entity ecs.Entity
	// Tick is the tick of the world that the data describes.
	Tick entangle.Tick
	// Components lists the components of which a value was written, in ascending order.
	Components []int
	// Update reports that the record is in a frame of values.
	Update bool
	// Resent is how many groups have become due again for the client because a packet was presumed
	// lost. Throttled is how many packets to it were not sent because it acknowledged none for a time.
	// Capped reports whether the client has a byte cap.
	Resent, Throttled uint64
	Capped            bool
}

// inspector decodes the records written to clients, for Inspect. Of a receiver.Sink it has the methods that a
// receiver.Lister calls.
type inspector struct {
	receiver.Sink
	report func(SentEntity)
	infos  []*registry.Component
	past   refs.Past // only its trails are used, for the present record
	value  [][]byte  // scratch, by component number
	p      *source.Collector
	capped bool
	at     *client
	list   *receiver.Lister

	updates bool // the present record is in a frame of values
	differs bool // values of the present record may be differences
}

// sentBody is one message of structure or one frame of values, as sent.
type sentBody struct {
	updates bool
	body    []byte
}

// Inspect calls a function for all replication data that is written to clients from now on, at the
// end of each Send; nil ends it. It is for tests and tools, because everything is decoded once
// more.
func (s *Server) Inspect(infos []*registry.Component, tell func(SentEntity)) {
	s.inspector = nil
	if tell != nil && s.collector != nil {
		s.inspector = newInspector(s.collector, infos, tell)
		s.inspector.capped = s.cfg.Caps.any()
	}
	for c := range s.everyClient() {
		s.setTap(c)
	}
}

func newInspector(p *source.Collector, infos []*registry.Component, tell func(SentEntity)) *inspector {
	t := &inspector{report: tell, infos: infos, past: source.NewHistory(infos), p: p}
	for _, info := range infos {
		t.value = append(t.value, make([]byte, info.Plan.Size()))
	}
	t.list = receiver.NewLister(t, len(infos), t.entry)
	return t
}

// Deltas implements receiver.Differ.
func (t *inspector) Deltas() set.Mask { return t.past.Deltas }

// From implements receiver.Differ.
func (t *inspector) From(m *receiver.Moment) {
	t.differs = m.Differs
	t.past.Begin()
}

// Skip implements receiver.Sink.
func (t *inspector) Skip(r *bits.Reader, comp int) error {
	plan := t.infos[comp].Plan
	if t.differs && t.past.Of[comp] != nil {
		return plan.SkipDelta(r, t.past.Trail(comp))
	}
	if err := plan.Decode(r, t.value[comp], sink.NoRefs{}); err != nil || !t.infos[comp].Relation {
		return err
	}
	wire.DecodeTarget(r, sink.NoRefs{})
	return r.Err()
}

// setTap makes a client keep the records that are written to it, if the server has an Inspect function.
// Each client keeps its own, because packets of several clients are written concurrently.
func (s *Server) setTap(c *client) {
	if c.peer.Tap(nil); s.inspector == nil {
		return
	}
	c.peer.Tap(func(updates bool, body []byte) {
		c.sentBodies = append(c.sentBodies, sentBody{updates, append([]byte(nil), body...)})
	})
}

// inspectSent calls the Inspect function for the records of a frame.
func (s *Server) inspectSent() {
	if s.inspector == nil {
		return
	}
	for i := len(s.open) - 1; i >= 0; i-- { // the Inspect function may disconnect a client
		s.inspector.inspectClient(s.open[i])
	}
}

func (t *inspector) inspectClient(c *client) {
	t.at = c
	for _, sent := range c.sentBodies {
		var err error
		t.updates = sent.updates
		if sent.updates {
			err = t.list.Updates(t.p.World.Tick(), sent.body)
		} else {
			err = t.list.Actions(sent.body)
		}
		if err != nil {
			panic(fmt.Sprintf("endpoint: the records that were just written to client %d can't be read: %v", c.id, err))
		}
	}
	c.sentBodies = c.sentBodies[:0]
}

// entry calls the Inspect function for one member of a group.
func (t *inspector) entry(e receiver.Entry) {
	slot, ok := t.at.replication().MemberSlot(e.Group, e.Member)
	if !ok {
		panic(fmt.Sprintf("endpoint: client %d was sent member %d of its group %d, which does not exist", t.at.id, e.Member, e.Group))
	}
	entity := SentEntity{
		Client: t.at.id, Entity: t.p.Table.Entity(columns.Slot(slot)), Tick: e.Tick,
		Update: t.updates, Resent: t.at.replication().Resent(), Throttled: t.at.peer.Stats().Throttled, Capped: t.capped,
	}
	for c := range e.Comps.All() {
		entity.Components = append(entity.Components, c)
	}
	t.report(entity)
}
