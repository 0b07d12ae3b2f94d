package systems

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
)

// ResourceCopy is the way from a server's resources into a client's world. A value is
// decoded beside the world and then copied into the resource that is there, so that
// pointers to it stay good; where there is none, one is added.
//
// An entity in a value that is not here is the zero entity. The bytes of the value are
// kept, and it is decoded again when the entity has come, or has gone: of that the server
// says nothing else, for it would say it of those too that are hidden from here. A value says
// the tick that it was so at: an entity that has its name since later is another.
type ResourceCopy struct {
	world *ecs.World
	copy  *Copy
	list  []copiedResource // by number
	stat  ResourceStats

	by resourcePredictor // nil: what comes goes into the world

	kept   int    // bytes
	spawns uint64 // of the copy that were looked at
	losses uint64 // likewise
}

// resourcePredictor is what a copy asks of the prediction of its world.
type resourcePredictor interface {
	// resource says that there is news in Confirmed of one that rolls back.
	resource(number int)
}

// copiedResource is one registered resource on a client.
type copiedResource struct {
	info   *protocol.ResourceInfo
	id     ecs.ResID
	events *ResourceEvents
	spare  any // where a value is decoded

	held  bool // the server says that it is there
	added bool // by the network, not by the game

	said entangle.Tick // by the last message, that it was so at, of those whose messages say so
	tick entangle.Tick // that, or the one at which who has gone since went
	word any           // what the server said last, of those that roll back

	message  []byte       // the last one, of values that name entities
	entities []ecs.Entity // in it, as they were written
	names    []repl.ID    // of those; noName: it is none, or has ended
}

// maxKeptResources bounds the bytes of values that are kept for the entities in
// them: four of the longest. What is beyond it is decoded once.
const maxKeptResources = 256 << 10

var errNoResource = errors.New("systems: removal of a resource that is not there")

// NewResourceCopy returns a copy without resources in w. References in them are to
// entities of copied.
func NewResourceCopy(w *ecs.World, hub *Hub, infos []*protocol.ResourceInfo, copied *Copy) *ResourceCopy {
	c := &ResourceCopy{world: w, copy: copied}
	for _, info := range infos {
		c.list = append(c.list, copiedResource{
			info: info, id: ecs.ResourceTypeID(w, info.Type),
			events: hub.AddResource(info.Type), spare: reflect.New(info.Type).Interface(),
		})
		if r := &c.list[len(c.list)-1]; info.Rollback {
			r.word = reflect.New(info.Type).Interface()
		}
	}
	copied.resources = c
	return c
}

// predictBy has values of resources that roll back go to a prediction from the second on;
// they come and go as the server says. It comes before the first message.
func (c *ResourceCopy) predictBy(by resourcePredictor) { c.by = by }

// Confirmed returns the memory of a resource that rolls back as the server said it last, and
// the tick at whose end it was so. It is not ok while the server says that there is none.
func (c *ResourceCopy) Confirmed(number int) (value []byte, tick entangle.Tick, ok bool) {
	r := &c.list[number]
	if !r.held || r.word == nil {
		return nil, r.tick, false
	}
	return columns.MemoryOf(r.word), r.tick, true
}

// Stats returns the counters.
func (c *ResourceCopy) Stats() ResourceStats { return c.stat }

// handle takes one message of the server, and its mailbox to find entities by.
func (c *ResourceCopy) handle(m *Mailbox, body []byte) error {
	m.r.Reset(body)
	number, isValue := m.r.Uvarint(), m.r.Bool()
	if m.r.Err() != nil || number >= uint64(len(c.list)) {
		return errNoSuchThing
	}
	c.stat.Received++
	r := &c.list[number]
	if saysTick(r.info) {
		r.said = entangle.Tick(m.r.Bits(32))
		r.tick = r.said
	}
	if !isValue {
		return c.remove(r, m.r.End())
	}
	if err := c.set(r, m); err != nil {
		return err
	}
	c.keep(r, m, body)
	return nil
}

// set decodes the value at hand and writes it into the world.
func (c *ResourceCopy) set(r *copiedResource, m *Mailbox) error {
	m.entities = m.entities[:0]
	if r.info.Plan.HasRefs() {
		if _, _, ok := m.readRefs(&m.r, r.info.Plan); !ok {
			return errMessage
		}
	}
	return c.decode(r, m)
}

func (c *ResourceCopy) decode(r *copiedResource, m *Mailbox) error {
	err := r.info.Plan.DecodeAny(&m.r, r.spare, m)
	if err == nil {
		err = m.r.End()
	}
	if err == nil {
		c.write(r)
	}
	return err
}

// write copies the value that was decoded into the world.
func (c *ResourceCopy) write(r *copiedResource) {
	value := reflect.ValueOf(r.spare).Elem()
	there := c.world.Resources().Get(r.id)
	inserted := there == nil || !r.held
	if there == nil {
		fresh := reflect.New(r.info.Type)
		c.world.Resources().Add(r.id, fresh.Interface())
		there, r.added = fresh.Interface(), true
	} else if !r.held {
		r.added = false
	}
	if !r.info.Plan.Takes(there) {
		panic(fmt.Sprintf("plugin: the resource %s is a %T in its world; add it as a pointer to a value, with ecs.AddResource", r.info.Name, there))
	}
	if r.word != nil {
		reflect.ValueOf(r.word).Elem().Set(value)
	}
	if inserted || r.word == nil || c.by == nil {
		reflect.ValueOf(there).Elem().Set(value)
	}
	r.held = true
	c.tell(r)
	if inserted {
		r.events.raise(r.events.inserted)
	} else {
		r.events.raise(r.events.updated)
	}
}

// remove takes a resource out of the world, unless the game did that already.
func (c *ResourceCopy) remove(r *copiedResource, malformed error) error {
	if malformed != nil {
		return malformed
	}
	if !r.held {
		return errNoResource
	}
	c.forget(r)
	c.tell(r)
	if c.world.Resources().Has(r.id) {
		c.world.Resources().Remove(r.id)
	}
	r.events.raise(r.events.removed)
	return nil
}

// tell hands what the server said of a resource that rolls back to the prediction.
func (c *ResourceCopy) tell(r *copiedResource) {
	if r.word != nil && c.by != nil {
		c.by.resource(r.info.Number)
	}
}

// forget lets go of what is kept of a resource.
func (c *ResourceCopy) forget(r *copiedResource) {
	c.kept -= len(r.message)
	r.message, r.entities, r.names, r.held = nil, nil, nil, false
}

// Clear ends what belongs to a connection: what the network has added goes out of the
// world; what the game had there stays as it is.
func (c *ResourceCopy) Clear() {
	for i := range c.list {
		r := &c.list[i]
		switch {
		case r.held && r.added:
			_ = c.remove(r, nil)
		case r.held:
			c.forget(r)
		}
	}
}

// keep remembers a value that names entities, if there is room.
func (c *ResourceCopy) keep(r *copiedResource, m *Mailbox, body []byte) {
	c.kept -= len(r.message)
	r.message, r.entities, r.names = r.message[:0], r.entities[:0], r.names[:0]
	if len(m.entities) == 0 || c.kept+len(body) > maxKeptResources {
		return
	}
	c.kept += len(body)
	r.message = append(r.message, body...)
	r.entities, r.names = append(r.entities, m.entities...), append(r.names, m.names...)
}

// reuse implements reuser.
func (c *ResourceCopy) reuse(id repl.ID, since entangle.Tick) {
	c.forgetNames(since, func(name repl.ID) bool { return name == id })
}

// reuseGroup implements reuser.
func (c *ResourceCopy) reuseGroup(h repl.Handle, since entangle.Tick) {
	c.forgetNames(since, func(name repl.ID) bool { return name.Group == h })
}

// forgetNames forgets names of values from before a tick.
func (c *ResourceCopy) forgetNames(before entangle.Tick, reused func(repl.ID) bool) {
	for i := range c.list {
		r := &c.list[i]
		if len(r.message) == 0 || !r.said.Before(before) {
			continue
		}
		for n, id := range r.names {
			if reused(id) {
				r.names[n] = noName
			}
		}
	}
}

// advance decodes the values again whose entities have come or gone since.
func (c *ResourceCopy) advance(m *Mailbox) error {
	if c.spawns == c.copy.spawns && c.losses == c.copy.losses {
		return nil
	}
	c.spawns, c.losses = c.copy.spawns, c.copy.losses
	for i := range c.list {
		if r := &c.list[i]; len(r.message) > 0 {
			if err := c.complete(r, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete writes a value again if an entity in it is here now, or here anew, or here no more.
func (c *ResourceCopy) complete(r *copiedResource, m *Mailbox) error {
	m.r.Reset(r.message)
	m.r.Uvarint()
	m.r.Bool()
	if saysTick(r.info) {
		m.r.Bits(32)
	}
	if _, _, ok := m.readRefs(&m.r, r.info.Plan); !ok {
		return errMessage
	}
	came, went := false, false
	for i := range m.entities {
		if r.names[i] == noName {
			m.entities[i] = ecs.Entity{}
		}
		if now := m.entities[i]; now != r.entities[i] {
			came = came || !now.IsZero()
			went = went || now.IsZero()
		}
	}
	if !came && !went {
		return nil
	}
	if went && r.tick.Before(c.copy.lost) {
		r.tick = c.copy.lost
	}
	r.entities = append(r.entities[:0], m.entities...)
	return c.decode(r, m)
}

// Kept returns the bytes of values that are kept for the entities in them.
func (c *ResourceCopy) Kept() int { return c.kept }
