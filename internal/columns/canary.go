package columns

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Errors of Observe and Sync. Their cause is how the game uses the world, never the network or a
// single entity.
var (
	// ErrWorldLocked means that a query is open. Structure cannot be observed then, because Arche
	// sends the events of an open batch query only when it is closed.
	ErrWorldLocked = errors.New("columns: the world is locked by an open query; iterate it to its end or Close it before the network systems run")

	// ErrListenerLost means that World.SetListener was called, and structural events no longer
	// arrive. When the listener has been restored, Observe works again.
	ErrListenerLost = errors.New("columns: structural events of the world do not arrive; do not call World.SetListener, add your listener to the listener.Dispatch resource of the world, which has one slot for all")

	// ErrWorldReset means that World.Reset was called. The table cannot recover from it, because
	// entity ids start again from the lowest and removed entities look alive.
	ErrWorldReset = errors.New("columns: the world was emptied by World.Reset, which restarts entity ids; remove entities instead, or stop the network plugin, reset the world, load it if you have a save, and start a new plugin")
)

// canary lets Observe and Sync detect that the world's listener was replaced or the world was
// reset. Arche sends no event about either. It consists of a resource of a private type, which
// Reset removes, and the identity of the world's listener. It needs no entity that lasts, which a
// filter of the game could match.
type canary struct {
	resource ecs.ResID
	mark     *canaryMark
	lost     bool         // the last check found the listener lost
	rescan   bool         // the next Sync must examine all entities
	field    uintptr      // offset of the listener in ecs.World
	peeks    bool         // field is valid
	listener ecs.Listener // at the last successful check
	notified bool         // an event has arrived
}

// canaryMark is shared by the tables of one world.
type canaryMark struct{ _ byte }

// HasListener reports whether a world has a listener, which SetListener would replace without
// notice. It returns false if it cannot find the field of ecs.World that holds it.
func HasListener(w *ecs.World) bool {
	var c canary
	c.aim()
	l, known := c.peek(w)
	return known && l != nil
}

// aim finds the offset of the field of ecs.World that holds the listener.
func (c *canary) aim() {
	field, ok := reflect.TypeFor[ecs.World]().FieldByName("listener")
	c.peeks = ok && field.Type == reflect.TypeFor[ecs.Listener]()
	c.field = field.Offset
}

func (c *canary) install(w *ecs.World) {
	c.resource = ecs.ResourceID[canaryMark](w)
	if w.Resources().Has(c.resource) {
		c.mark = w.Resources().Get(c.resource).(*canaryMark)
	} else {
		c.mark = &canaryMark{}
		w.Resources().Add(c.resource, c.mark)
	}
	c.aim()
	c.rescan = true
}

// check returns the reason why the table may have missed events, or nil.
func (c *canary) check(t *Table) error {
	if t.world.IsLocked() {
		return ErrWorldLocked
	}
	if !t.world.Resources().Has(c.resource) || t.world.Resources().Get(c.resource) != any(c.mark) {
		return ErrWorldReset
	}
	now, known := c.peek(t.world)
	if known && c.listener != nil && !c.lost && sameListener(now, c.listener) {
		return nil
	}
	if !c.probe(t.world) {
		c.lost, c.rescan = true, true
		return ErrListenerLost
	}
	c.listener, c.lost = now, false
	return nil
}

// probe creates and removes an entity, and reports whether the table's listener received an event
// about it.
func (c *canary) probe(w *ecs.World) bool {
	c.notified = false
	if e := w.NewEntity(); w.Alive(e) { // a listener may have removed it
		w.RemoveEntity(e)
	}
	return c.notified
}

// peek reads the listener of a world from its unexported field, because ecs.World has no getter for
// it. If there is no such field, it returns false, and every check is a probe.
func (c *canary) peek(w *ecs.World) (ecs.Listener, bool) {
	if !c.peeks {
		return nil, false
	}
	return *(*ecs.Listener)(unsafe.Add(unsafe.Pointer(w), c.field)), true
}

// sameListener compares the identities of two listeners. The operator == would panic if their type
// is not comparable.
func sameListener(a, b ecs.Listener) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&a)) == *(*[2]uintptr)(unsafe.Pointer(&b))
}
