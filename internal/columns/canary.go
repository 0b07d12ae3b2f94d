package columns

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Errors of Observe and Sync. They are caused by the use of the world, not by the network or an entity.
var (
	// ErrWorldLocked: structure cannot be observed while a query is open; the events of an
	// open batch query have not been sent yet.
	ErrWorldLocked = errors.New("columns: the world is locked by an open query; iterate it to its end or Close it before the network systems run")

	// ErrListenerLost: World.SetListener was called, and structural events no longer arrive.
	// Once the listener is restored, Observe works again.
	ErrListenerLost = errors.New("columns: structural events of the world do not arrive; do not call World.SetListener, add your listener to the listener.Dispatch resource of the world, which has one slot for all")

	// ErrWorldReset: World.Reset was called. It is final, since entity ids start again and old
	// entities look alive.
	ErrWorldReset = errors.New("columns: the world was emptied by World.Reset, which restarts entity ids; remove entities instead, or stop the network plugin, reset the world, load it if you have a save, and start a new plugin")
)

// canary detects within one Observe that the world's listener was replaced or the world was reset, of
// which Arche sends no event. It consists of a resource of a private type, which Reset removes, and the
// identity of the world's listener: not of an entity, so that no filter sees it.
type canary struct {
	resource ecs.ResID
	mark     *canaryMark
	lost     bool // the listener was lost at the last check
	rescan   bool // the next Sync must examine all entities
	field    uintptr
	peeks    bool // field is the world's listener
	listener ecs.Listener
	notified bool
}

// canaryMark is shared by the tables of one world.
type canaryMark struct{ _ byte }

// HasListener reports whether a world has a listener, which SetListener would replace silently. If
// Arche's world does not expose it, the result is false.
func HasListener(w *ecs.World) bool {
	var c canary
	c.aim()
	l, known := c.peek(w)
	return known && l != nil
}

// aim finds the field of the world's listener.
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

// probe makes the smallest change of structure and reports whether the table's listener received its
// event.
func (c *canary) probe(w *ecs.World) bool {
	c.notified = false
	if e := w.NewEntity(); w.Alive(e) { // a listener may have removed it
		w.RemoveEntity(e)
	}
	return c.notified
}

// peek reads the one field of Arche's world without a getter. If there is no such field, every check is
// a probe.
func (c *canary) peek(w *ecs.World) (ecs.Listener, bool) {
	if !c.peeks {
		return nil, false
	}
	return *(*ecs.Listener)(unsafe.Add(unsafe.Pointer(w), c.field)), true
}

// sameListener compares identities: comparing the interfaces would panic for a listener of a type that
// is not comparable.
func sameListener(a, b ecs.Listener) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&a)) == *(*[2]uintptr)(unsafe.Pointer(&b))
}
