package columns

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Errors of Observe and Sync. They are about the world, not about the network,
// and no entity is at fault.
var (
	// ErrWorldLocked: structure cannot be told while a query is open; events of
	// an open batch query have not been sent yet.
	ErrWorldLocked = errors.New("columns: the world is locked by an open query; iterate it to its end or Close it before the network systems run")

	// ErrListenerLost: someone called World.SetListener, and structural changes
	// are no longer heard. Once the listener is back, Observe works again.
	ErrListenerLost = errors.New("columns: structural events of the world do not arrive; do not call World.SetListener, add your listener to the listener.Dispatch resource of the world, which has one slot for all")

	// ErrWorldReset: World.Reset was called. It is final, since entity ids start
	// again and old handles look alive.
	ErrWorldReset = errors.New("columns: the world was emptied by World.Reset, which restarts entity ids; remove entities instead, or stop the network plugin, reset the world, load it if you have a save, and start a new plugin")
)

// canary notices within one Observe that the world's listener was replaced or the
// world reset, of which Arche sends no event. It is a resource of a type of its
// own, which Reset takes away, and the identity of the world's listener: no entity,
// so that no filter sees it.
type canary struct {
	resource ecs.ResID
	mark     *canaryMark
	lost     bool // the listener was, at the last check
	anew     bool // look at all entities in the next Sync
	field    uintptr
	peeks    bool // field is where the world keeps its listener
	listener ecs.Listener
	heard    bool
}

// canaryMark is shared by the tables of one world.
type canaryMark struct{ _ byte }

// HasListener reports whether a world has a listener, which SetListener would
// replace without a word. Where Arche's world does not show it, the answer is no.
func HasListener(w *ecs.World) bool {
	var c canary
	c.aim()
	l, known := c.peek(w)
	return known && l != nil
}

// aim finds where the world keeps its listener.
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
	c.anew = true
}

// check returns why the table cannot be trusted, or nil.
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
		c.lost, c.anew = true, true
		return ErrListenerLost
	}
	c.listener, c.lost = now, false
	return nil
}

// probe makes the smallest change of structure there is and tells whether our
// listener heard of it.
func (c *canary) probe(w *ecs.World) bool {
	c.heard = false
	if e := w.NewEntity(); w.Alive(e) { // a listener may have removed it
		w.RemoveEntity(e)
	}
	return c.heard
}

// peek reads the one field of Arche's world that has no getter. If there is no
// such field, every check is a probe.
func (c *canary) peek(w *ecs.World) (ecs.Listener, bool) {
	if !c.peeks {
		return nil, false
	}
	return *(*ecs.Listener)(unsafe.Add(unsafe.Pointer(w), c.field)), true
}

// sameListener compares identities: comparing the interfaces would panic for a
// listener of a type that cannot be compared.
func sameListener(a, b ecs.Listener) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&a)) == *(*[2]uintptr)(unsafe.Pointer(&b))
}
