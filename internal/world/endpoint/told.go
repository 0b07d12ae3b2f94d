package endpoint

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl/listing"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Told is what a client was told of an entity in one place: in a message of structure or
// a frame of values, whether or not that ever arrives.
type Told struct {
	Client entangle.ClientID
	Entity ecs.Entity
	// Tick of the world that it is told of.
	Tick entangle.Tick
	// Components of which a value was written, by rising number.
	Components []int
	// Update: it is told in a frame of values.
	Update bool
	// Resent is how many groups were due again at the client so far because a packet was
	// presumed lost, and Capped whether it has a byte cap.
	Resent uint64
	Capped bool
}

// teller reads back what is written to clients.
type teller struct {
	tell   func(Told)
	infos  []*registry.Component
	past   refs.Past // of which only the trails of the record at hand are in use
	value  [][]byte  // by component number
	p      *source.Publisher
	capped bool
	at     *client
	list   *listing.Lister

	updates bool // the record at hand stands in a frame of values
	differs bool // values of the record at hand may be differences
	codes   uint8
}

// said is one message or frame.
type said struct {
	updates bool
	body    []byte
}

// Tell has a function told of all that is written to clients from now on, at the end of
// each Send; nil ends it. It is for tests and tools: everything is read once more.
func (s *Server) Tell(infos []*registry.Component, tell func(Told)) {
	s.teller = nil
	if tell != nil && s.publisher != nil {
		s.teller = newTeller(s.publisher, infos, tell)
		s.teller.capped = s.cfg.Caps.any()
	}
	for _, c := range s.clients {
		if c != nil {
			s.tap(c)
		}
	}
}

func newTeller(p *source.Publisher, infos []*registry.Component, tell func(Told)) *teller {
	t := &teller{tell: tell, infos: infos, past: source.NewPast(infos), p: p}
	for _, info := range infos {
		t.value = append(t.value, make([]byte, info.Plan.Size()))
	}
	t.list = listing.New(len(infos), t, t.entry)
	return t
}

// Begin implements listing.Values.
func (t *teller) Begin(differs bool, codes uint8) {
	t.differs, t.codes = differs, codes
	t.past.Begin()
}

// Learns implements listing.Values.
func (t *teller) Learns() bool { return t.past.Learns() }

// Skip implements listing.Values.
func (t *teller) Skip(r *bits.Reader, comp int) error {
	plan := t.infos[comp].Plan
	if t.differs && t.past.Of[comp] != nil {
		return plan.SkipDelta(r, t.past.Trail(comp), t.p.Lessons.CodesOf(comp, t.codes))
	}
	if err := plan.Decode(r, t.value[comp], sink.NoRefs{}); err != nil || !t.infos[comp].Relation {
		return err
	}
	wire.DecodeTarget(r, sink.NoRefs{})
	return r.Err()
}

// tap has a client keep what is written to it, if somebody listens. Clients are written
// to side by side, so each keeps its own.
func (s *Server) tap(c *client) {
	if c.peer.Tap(nil); s.teller == nil {
		return
	}
	c.peer.Tap(func(updates bool, body []byte) {
		c.said = append(c.said, said{updates, append([]byte(nil), body...)})
	})
}

// retell tells of what was written in a frame.
func (s *Server) retell() {
	if s.teller == nil {
		return
	}
	for i := len(s.open) - 1; i >= 0; i-- { // whoever is told may disconnect one
		s.teller.read(s.open[i])
	}
}

func (t *teller) read(c *client) {
	t.at = c
	for _, said := range c.said {
		var err error
		t.updates = said.updates
		if said.updates {
			err = t.list.Updates(t.p.Sender.Tick(), said.body)
		} else {
			err = t.list.Actions(said.body)
		}
		if err != nil {
			panic(fmt.Sprintf("endpoint: what was just written to client %d can't be read: %v", c.id, err))
		}
	}
	c.said = c.said[:0]
}

// entry tells of one member of a group.
func (t *teller) entry(e *listing.Entry) {
	slot, ok := t.at.updates().Seat(e.Group, e.Member)
	if !ok {
		panic(fmt.Sprintf("endpoint: client %d was told of member %d of its group %d, which is nobody", t.at.id, e.Member, e.Group))
	}
	told := Told{
		Client: t.at.id, Entity: t.p.Table.Entity(columns.Slot(slot)), Tick: e.Tick,
		Update: t.updates, Resent: t.at.updates().Resent(), Capped: t.capped,
	}
	for c := e.Comps.Next(0); c >= 0; c = e.Comps.Next(c + 1) {
		told.Components = append(told.Components, c)
	}
	t.tell(told)
}
