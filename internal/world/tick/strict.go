package tick

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// strict reports systems of Main that write replicated data: values of the protocol's components on
// entities with components.Remote, and components.Remote itself. It only reads the world, so that
// watching changes nothing.
type strict struct {
	world *ecs.World
	time  *components.Time
	cols  []watched
}

// watched is one component, with its values on all entities at the last look, in the order of the
// world.
type watched struct {
	name     string
	why      string // the reason why it must not be written, and the remedy
	id       ecs.ID
	filter   ecs.Mask
	cells    columns.Cells
	size     int
	entities []ecs.Entity
	values   []byte
	places   map[ecs.Entity]int // index in entities; empty until first used
}

// Strict makes the schedule watch the systems of Main in a client's world.
func (s *Schedule) Strict(w *ecs.World, p *protocol.Protocol, time *components.Time) {
	watch := &strict{world: w, time: time}
	writer, remote := columns.NewWriter(w), ecs.ComponentID[components.Remote](w)
	follow := func(t reflect.Type, why string) {
		id := ecs.TypeID(w, t)
		watch.cols = append(watch.cols, watched{
			name: t.String(), why: why, id: id, filter: ecs.All(remote, id), cells: writer.Cells(id), size: int(t.Size()),
			places: map[ecs.Entity]int{},
		})
	}
	follow(reflect.TypeFor[components.Remote](), whyRemote)
	for _, info := range registry.Of(p).Components {
		if !info.Input && info.Type.Size() > 0 {
			follow(info.Type, whyConfirmed)
		}
	}
	s.strict = watch
}

// runStrict runs the systems of Main, and checks the world after each.
func (s *Schedule) runStrict(w *ecs.World) {
	for i := range s.strict.cols {
		s.strict.cols[i].recordValues(w)
	}
	for at, sys := range s.stages[s.order.Main] {
		s.update(w, s.order.Main, at)
		for i := range s.strict.cols {
			s.strict.panicIfWritten(sys, &s.strict.cols[i])
		}
	}
}

// recordValues records the entities that have the component, and their values.
func (c *watched) recordValues(w *ecs.World) {
	c.entities, c.values = c.entities[:0], c.values[:0]
	clear(c.places)
	q := w.Query(&c.filter)
	for q.Next() {
		c.entities = append(c.entities, q.Entity())
		c.values = append(c.values, c.cells.Bytes((*byte)(q.Get(c.id)))...)
	}
}

// panicIfWritten panics if a system has written a watched value. Adding, removing and moving
// entities in memory does not count as writing.
func (s *strict) panicIfWritten(sys System, c *watched) {
	row, moved := 0, false
	q := s.world.Query(&c.filter)
	for ; q.Next(); row++ {
		e, value := q.Entity(), c.cells.Bytes((*byte)(q.Get(c.id)))
		was := c.was(e, row)
		moved = moved || row >= len(c.entities) || c.entities[row] != e
		if was != nil && !bytes.Equal(was, value) {
			q.Close()
			panic(s.complaint(nameOf(sys), c, e))
		}
	}
	if moved || row != len(c.entities) {
		c.recordValues(s.world)
	}
}

// was returns the last value of an entity, which is usually still in row; nil if it had none.
func (c *watched) was(e ecs.Entity, row int) []byte {
	if row >= len(c.entities) || c.entities[row] != e {
		if len(c.places) == 0 {
			for row, e := range c.entities {
				c.places[e] = row
			}
		}
		var known bool
		if row, known = c.places[e]; !known {
			return nil
		}
	}
	return c.values[row*c.size : (row+1)*c.size]
}

// The reasons that strict gives for the components that it watches.
const (
	whyConfirmed = "which has components.Remote: " +
		"the network writes it, and the server's next word takes the place of what is written here; " +
		"filter with Without(generic.T[components.Remote]()), or have the client predict the entity, see components.Replicate"
	whyRemote = "what it holds is the plugin's, which finds the entity of each row by it; " +
		"when you copy all components of an entity, leave out this one"
)

func (s *strict) complaint(system string, written *watched, e ecs.Entity) string {
	return fmt.Sprintf("plugin: Strict: in tick %d system %s wrote %s of entity %v, %s", s.time.Tick, system, written.name, e, written.why)
}

// nameOf returns the name of a system: its String method, if it has one, or its type.
func nameOf(sys System) string {
	if named, ok := sys.(fmt.Stringer); ok {
		return named.String()
	}
	return fmt.Sprintf("%T", sys)
}
