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

// Told describes an entity's data in one record that was sent to a client: in a message of
// structure or a frame of values, whether or not it arrives.
type Told struct {
	Client entangle.ClientID
	Entity ecs.Entity
	// Tick of the world that the data describes.
	Tick entangle.Tick
	// Components of which a value was written, in ascending order.
	Components []int
	// Update reports that the record is in a frame of values.
	Update bool
	// Resent is how many groups have become due again for the client because a packet was presumed
	// lost. Capped reports whether the client has a byte cap.
	Resent uint64
	Capped bool
}

// teller decodes the records written to clients, for the inspection stream of Tell.
type teller struct {
	tell   func(Told)
	infos  []*registry.Component
	past   refs.Past // only the trails of the present record are used
	value  [][]byte  // by component number
	p      *source.Publisher
	capped bool
	at     *client
	list   *listing.Lister

	updates bool // the present record is in a frame of values
	differs bool // values of the present record may be differences
	codes   uint8
}

// said is one message of structure or one frame of values, as sent.
type said struct {
	updates bool
	body    []byte
}

// Tell calls a function for all replication data that is written to clients from now on, at the end
// of each Send; nil ends it. It is for tests and tools, because everything is decoded once more.
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

// tap makes a client keep the records that are written to it, if the server has a Tell function.
// Each client keeps its own, because packets of several clients are written concurrently.
func (s *Server) tap(c *client) {
	if c.peer.Tap(nil); s.teller == nil {
		return
	}
	c.peer.Tap(func(updates bool, body []byte) {
		c.said = append(c.said, said{updates, append([]byte(nil), body...)})
	})
}

// retell calls the Tell function for the records of a frame.
func (s *Server) retell() {
	if s.teller == nil {
		return
	}
	for i := len(s.open) - 1; i >= 0; i-- { // the Tell function may disconnect a client
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

// entry calls the Tell function for one member of a group.
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
