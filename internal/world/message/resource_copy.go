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

// ResourceCopy applies a server's resources to a client's world. A value is decoded outside the
// world and then copied into the existing resource, so that pointers to it stay valid; if there is
// none, one is added.
//
// A missing entity in a value is the zero entity. The bytes of the value are kept, and the value is
// decoded again when the entity arrives or despawns: the server sends no other notice, as it would
// reach clients that may not see the entity too. A value carries the tick at which it was valid: an
// entity that took over its network id later is a different one.
type ResourceCopy struct {
	world   *ecs.World
	applier *sink.Applier
	List    []copiedResource // by number
	stat    ResourceStats

	by resourcePredictor // nil: received values are written into the world

	kept   int    // bytes of all kept messages
	spawns uint64 // applier.Replicas.Spawns at the last decodeAgain
	losses uint64 // applier.Replicas.Losses at the last decodeAgain
}

// resourcePredictor is the part of a world's prediction that a ResourceCopy uses.
type resourcePredictor interface {
	// Resource marks a predicted resource after a change of its confirmed value.
	Resource(number int)
}

// copiedResource is one registered resource on a client.
type copiedResource struct {
	Info    *registry.Resource
	ID      ecs.ResID
	events  *event.ResourceEvents
	Scratch any // where a value is decoded

	held  bool // the server has sent a value, and has not removed it
	added bool // the network has added the resource to the world, not the game

	// Of a predicted resource: the tick of the last message, or the later one in which an entity of the
	// value despawned, and the confirmed value.
	Tick      entangle.Tick
	Confirmed any

	message  []byte       // the last message, if its value refers to entities
	entities []ecs.Entity // the entities to which the message refers, as last written into the world
	names    []repl.ID    // the network ids of entities; noName: the entity has none
}

// MaxKeptResources bounds the bytes of values that are kept for the entities in them: four of the
// longest. Values beyond it are decoded once.
const MaxKeptResources = 256 << 10

var errNoResource = errors.New("message: removal of a resource that is not there")

// NewResourceCopy returns a copy without resources in w. References in their values resolve to
// replicas of the applier.
func NewResourceCopy(w *ecs.World, hub *event.Hub, infos []*registry.Resource, applier *sink.Applier) *ResourceCopy {
	c := &ResourceCopy{world: w, applier: applier}
	for _, info := range infos {
		c.List = append(c.List, copiedResource{
			Info: info, ID: ecs.ResourceTypeID(w, info.Type),
			events: hub.AddResource(info.Type), Scratch: reflect.New(info.Type).Interface(),
		})
		if r := &c.List[len(c.List)-1]; info.Rollback {
			r.Confirmed = reflect.New(info.Type).Interface()
		}
	}
	return c
}

// PredictBy passes values of predicted resources to a prediction, from the second value on. The
// server still adds and removes those resources. Call it before the first message.
func (c *ResourceCopy) PredictBy(by resourcePredictor) { c.by = by }

// Confirmed returns the memory of the confirmed value of a predicted resource, and the tick at
// the end of which it was valid. ok is false while the server has no such resource.
func (c *ResourceCopy) Confirmed(number int) (value []byte, tick entangle.Tick, ok bool) {
	r := &c.List[number]
	if !r.held || r.Confirmed == nil {
		return nil, r.Tick, false
	}
	return columns.MemoryOf(r.Confirmed), r.Tick, true
}

// Stats returns the counters.
func (c *ResourceCopy) Stats() ResourceStats { return c.stat }

// handle applies one message of the server. It finds entities through the inbox of the server's
// messages.
func (c *ResourceCopy) handle(m *Inbox, body []byte) error {
	m.R.Reset(body)
	number, isValue := m.R.Uvarint(), m.R.Bool()
	if m.R.Err() != nil || number >= uint64(len(c.List)) {
		return errNoSuchThing
	}
	c.stat.Received++
	r := &c.List[number]
	if r.Info.Rollback {
		r.Tick = entangle.Tick(m.R.Bits(32))
	}
	if !isValue {
		return c.removeResource(r, m.R.End())
	}
	if err := c.applyValue(r, m); err != nil {
		return err
	}
	c.storeValue(r, m, body)
	return nil
}

// applyValue decodes the current value and writes it into the world.
func (c *ResourceCopy) applyValue(r *copiedResource, m *Inbox) error {
	m.Entities = m.Entities[:0]
	if r.Info.Plan.HasRefs() {
		if _, _, ok := m.readRefs(&m.R, r.Info.Plan, 0); !ok {
			return errMessage
		}
	}
	return c.decode(r, m)
}

func (c *ResourceCopy) decode(r *copiedResource, m *Inbox) error {
	err := r.Info.Plan.DecodeAny(&m.R, r.Scratch, m)
	if err == nil {
		err = m.R.End()
	}
	if err == nil {
		c.Write(r)
	}
	return err
}

// Write copies the decoded value into the world.
func (c *ResourceCopy) Write(r *copiedResource) {
	value := reflect.ValueOf(r.Scratch).Elem()
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
	if r.Confirmed != nil {
		reflect.ValueOf(r.Confirmed).Elem().Set(value)
	}
	if inserted || r.Confirmed == nil || c.by == nil {
		reflect.ValueOf(there).Elem().Set(value)
	}
	r.held = true
	c.notifyPrediction(r)
	if inserted {
		r.events.Raise(r.events.Inserted)
	} else {
		r.events.Raise(r.events.Updated)
	}
}

// removeResource removes a resource from the world, unless the game did that already.
func (c *ResourceCopy) removeResource(r *copiedResource, malformed error) error {
	if malformed != nil {
		return malformed
	}
	if !r.held {
		return errNoResource
	}
	c.dropValue(r)
	c.notifyPrediction(r)
	if c.world.Resources().Has(r.ID) {
		c.world.Resources().Remove(r.ID)
	}
	r.events.Raise(r.events.Removed)
	return nil
}

// notifyPrediction passes the confirmed value of a predicted resource to the prediction.
func (c *ResourceCopy) notifyPrediction(r *copiedResource) {
	if r.Confirmed != nil && c.by != nil {
		c.by.Resource(r.Info.Number)
	}
}

// dropValue drops the kept bytes of a resource.
func (c *ResourceCopy) dropValue(r *copiedResource) {
	c.kept -= len(r.message)
	r.message, r.entities, r.names, r.held = nil, nil, nil, false
}

// Clear ends the state of a connection: resources that the network has added are removed from the
// world; those of the game stay as they are.
func (c *ResourceCopy) Clear() {
	for i := range c.List {
		r := &c.List[i]
		switch {
		case r.held && r.added:
			_ = c.removeResource(r, nil)
		case r.held:
			c.dropValue(r)
		}
	}
}

// storeValue stores a value that names entities, if there is room.
func (c *ResourceCopy) storeValue(r *copiedResource, m *Inbox, body []byte) {
	c.kept -= len(r.message)
	r.message, r.entities, r.names = r.message[:0], r.entities[:0], r.names[:0]
	if len(m.Entities) == 0 || c.kept+len(body) > MaxKeptResources {
		return
	}
	c.kept += len(body)
	r.message = append(r.message, body...)
	r.entities, r.names = append(r.entities, m.Entities...), append(r.names, m.names...)
}

// decodeAgain decodes values again if entities in them have arrived or despawned since.
func (c *ResourceCopy) decodeAgain(m *Inbox) error {
	if c.spawns == c.applier.Replicas.Spawns && c.losses == c.applier.Replicas.Losses {
		return nil
	}
	c.spawns, c.losses = c.applier.Replicas.Spawns, c.applier.Replicas.Losses
	for i := range c.List {
		if r := &c.List[i]; len(r.message) > 0 {
			if err := c.complete(r, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete writes a value again if an entity in it has arrived, was replaced, or has despawned.
func (c *ResourceCopy) complete(r *copiedResource, m *Inbox) error {
	m.R.Reset(r.message)
	m.R.Uvarint()
	m.R.Bool()
	if r.Info.Rollback {
		m.R.Bits(32)
	}
	if _, _, ok := m.readRefs(&m.R, r.Info.Plan, 0); !ok {
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
	if went && r.Tick.Before(c.applier.Replicas.LastLoss) {
		r.Tick = c.applier.Replicas.LastLoss
	}
	r.entities = append(r.entities[:0], m.Entities...)
	return c.decode(r, m)
}

// Kept returns the bytes of values that are kept for the entities in them.
func (c *ResourceCopy) Kept() int { return c.kept }
