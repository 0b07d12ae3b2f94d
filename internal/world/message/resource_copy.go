package message

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/mlange-42/arche/ecs"
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
	copy  *sink.Copy
	List  []copiedResource // by number
	stat  ResourceStats

	by resourcePredictor // nil: what comes goes into the world

	kept   int    // bytes
	spawns uint64 // of the copy that were looked at
	losses uint64 // likewise
}

// resourcePredictor is what a copy asks of the prediction of its world.
type resourcePredictor interface {
	// Resource says that there is news in Confirmed of one that rolls back.
	Resource(number int)
}

// copiedResource is one registered resource on a client.
type copiedResource struct {
	Info   *registry.Resource
	ID     ecs.ResID
	events *event.ResourceEvents
	Spare  any // where a value is decoded

	held  bool // the server says that it is there
	added bool // by the network, not by the game

	said entangle.Tick // by the last message, that it was so at, of those whose messages say so
	Tick entangle.Tick // that, or the one at which who has gone since went
	Word any           // what the server said last, of those that roll back

	message  []byte       // the last one, of values that name entities
	entities []ecs.Entity // in it, as they were written
	names    []repl.ID    // of those; noName: it is none, or has ended
}

// MaxKeptResources bounds the bytes of values that are kept for the entities in
// them: four of the longest. What is beyond it is decoded once.
const MaxKeptResources = 256 << 10

var errNoResource = errors.New("message: removal of a resource that is not there")

// NewResourceCopy returns a copy without resources in w. References in them are to
// entities of copied.
func NewResourceCopy(w *ecs.World, hub *event.Hub, infos []*registry.Resource, copied *sink.Copy) *ResourceCopy {
	c := &ResourceCopy{world: w, copy: copied}
	for _, info := range infos {
		c.List = append(c.List, copiedResource{
			Info: info, ID: ecs.ResourceTypeID(w, info.Type),
			events: hub.AddResource(info.Type), Spare: reflect.New(info.Type).Interface(),
		})
		if r := &c.List[len(c.List)-1]; info.Rollback {
			r.Word = reflect.New(info.Type).Interface()
		}
	}
	copied.Resources = c
	return c
}

// PredictBy has values of resources that roll back go to a prediction from the second on;
// they come and go as the server says. It comes before the first message.
func (c *ResourceCopy) PredictBy(by resourcePredictor) { c.by = by }

// Confirmed returns the memory of a resource that rolls back as the server said it last, and
// the tick at whose end it was so. It is not ok while the server says that there is none.
func (c *ResourceCopy) Confirmed(number int) (value []byte, tick entangle.Tick, ok bool) {
	r := &c.List[number]
	if !r.held || r.Word == nil {
		return nil, r.Tick, false
	}
	return columns.MemoryOf(r.Word), r.Tick, true
}

// Stats returns the counters.
func (c *ResourceCopy) Stats() ResourceStats { return c.stat }

// handle takes one message of the server, and its mailbox to find entities by.
func (c *ResourceCopy) handle(m *Mailbox, body []byte) error {
	m.R.Reset(body)
	number, isValue := m.R.Uvarint(), m.R.Bool()
	if m.R.Err() != nil || number >= uint64(len(c.List)) {
		return errNoSuchThing
	}
	c.stat.Received++
	r := &c.List[number]
	if saysTick(r.Info) {
		r.said = entangle.Tick(m.R.Bits(32))
		r.Tick = r.said
	}
	if !isValue {
		return c.remove(r, m.R.End())
	}
	if err := c.set(r, m); err != nil {
		return err
	}
	c.keep(r, m, body)
	return nil
}

// set decodes the value at hand and writes it into the world.
func (c *ResourceCopy) set(r *copiedResource, m *Mailbox) error {
	m.Entities = m.Entities[:0]
	if r.Info.Plan.HasRefs() {
		if _, _, ok := m.readRefs(&m.R, r.Info.Plan); !ok {
			return errMessage
		}
	}
	return c.decode(r, m)
}

func (c *ResourceCopy) decode(r *copiedResource, m *Mailbox) error {
	err := r.Info.Plan.DecodeAny(&m.R, r.Spare, m)
	if err == nil {
		err = m.R.End()
	}
	if err == nil {
		c.Write(r)
	}
	return err
}

// Write copies the value that was decoded into the world.
func (c *ResourceCopy) Write(r *copiedResource) {
	value := reflect.ValueOf(r.Spare).Elem()
	there := c.world.Resources().Get(r.ID)
	inserted := there == nil || !r.held
	if there == nil {
		fresh := reflect.New(r.Info.Type)
		c.world.Resources().Add(r.ID, fresh.Interface())
		there, r.added = fresh.Interface(), true
	} else if !r.held {
		r.added = false
	}
	if !r.Info.Plan.Takes(there) {
		panic(fmt.Sprintf("plugin: the resource %s is a %T in its world; add it as a pointer to a value, with ecs.AddResource", r.Info.Name, there))
	}
	if r.Word != nil {
		reflect.ValueOf(r.Word).Elem().Set(value)
	}
	if inserted || r.Word == nil || c.by == nil {
		reflect.ValueOf(there).Elem().Set(value)
	}
	r.held = true
	c.tell(r)
	if inserted {
		r.events.Raise(r.events.Inserted)
	} else {
		r.events.Raise(r.events.Updated)
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
	if c.world.Resources().Has(r.ID) {
		c.world.Resources().Remove(r.ID)
	}
	r.events.Raise(r.events.Removed)
	return nil
}

// tell hands what the server said of a resource that rolls back to the prediction.
func (c *ResourceCopy) tell(r *copiedResource) {
	if r.Word != nil && c.by != nil {
		c.by.Resource(r.Info.Number)
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
	for i := range c.List {
		r := &c.List[i]
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
	if len(m.Entities) == 0 || c.kept+len(body) > MaxKeptResources {
		return
	}
	c.kept += len(body)
	r.message = append(r.message, body...)
	r.entities, r.names = append(r.entities, m.Entities...), append(r.names, m.names...)
}

// Reuse implements reuser.
func (c *ResourceCopy) Reuse(id repl.ID, since entangle.Tick) {
	c.forgetNames(since, func(name repl.ID) bool { return name == id })
}

// ReuseGroup implements reuser.
func (c *ResourceCopy) ReuseGroup(h repl.Handle, since entangle.Tick) {
	c.forgetNames(since, func(name repl.ID) bool { return name.Group == h })
}

// forgetNames forgets names of values from before a tick.
func (c *ResourceCopy) forgetNames(before entangle.Tick, reused func(repl.ID) bool) {
	for i := range c.List {
		r := &c.List[i]
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
	if c.spawns == c.copy.Spawns && c.losses == c.copy.Losses {
		return nil
	}
	c.spawns, c.losses = c.copy.Spawns, c.copy.Losses
	for i := range c.List {
		if r := &c.List[i]; len(r.message) > 0 {
			if err := c.complete(r, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete writes a value again if an entity in it is here now, or here anew, or here no more.
func (c *ResourceCopy) complete(r *copiedResource, m *Mailbox) error {
	m.R.Reset(r.message)
	m.R.Uvarint()
	m.R.Bool()
	if saysTick(r.Info) {
		m.R.Bits(32)
	}
	if _, _, ok := m.readRefs(&m.R, r.Info.Plan); !ok {
		return errMessage
	}
	came, went := false, false
	for i := range m.Entities {
		if r.names[i] == noName {
			m.Entities[i] = ecs.Entity{}
		}
		if now := m.Entities[i]; now != r.entities[i] {
			came = came || !now.IsZero()
			went = went || now.IsZero()
		}
	}
	if !came && !went {
		return nil
	}
	if went && r.Tick.Before(c.copy.Lost) {
		r.Tick = c.copy.Lost
	}
	r.entities = append(r.entities[:0], m.Entities...)
	return c.decode(r, m)
}

// Kept returns the bytes of values that are kept for the entities in them.
func (c *ResourceCopy) Kept() int { return c.kept }
