package wire

import (
	"math"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// A reference may be to an entity that arrives later. The caller of Decode lets its RefReader
// return a Placeholder for it, uses MapRefs to find which entities of the value are placeholders,
// and sets each with SetRef when its entity has arrived.

// maxPlaceholders is the number of different placeholders.
const maxPlaceholders = 1 << 31

// Placeholder returns the n-th of 2^31 entities that no world creates, because their ids are at the
// far end of the range. A RefReader returns it to find out later where in a value an entity is. A
// value that a game can see must not contain it.
func Placeholder(n uint32) (e ecs.Entity) {
	*(*[2]uint32)(unsafe.Pointer(&e)) = [2]uint32{math.MaxUint32 - n%maxPlaceholders, math.MaxUint32}
	return e
}

// IsPlaceholder is the inverse of Placeholder. ok is false for other entities.
func IsPlaceholder(e ecs.Entity) (n uint32, ok bool) {
	n = math.MaxUint32 - e.ID()
	return n, n < maxPlaceholders && e.Generation() == math.MaxUint32
}

// MapRefs replaces every entity of a value by the result of swap. n is the number of the entity,
// from 0, in the order in which Decode reads them, including zero entities. For a type with a
// RefCodec, n counts the calls of Index.
func (p *Plan) MapRefs(value []byte, swap func(n int, e ecs.Entity) ecs.Entity) {
	at := p.addressOf(value)
	switch {
	case !p.HasRefs():
	case p.codec() != nil:
		p.codec().mapRefs(at, swap)
	default:
		mapRefs(p.ops, at, 0, swap)
	}
}

// SetRef sets the n-th entity of a value, counted like in MapRefs. It reports whether the value has
// one. For a type with a RefCodec, it only sets an entity that is the zero entity, and only if the
// codec calls Index for zero entities too; otherwise it is unknown which entity is the n-th.
func (p *Plan) SetRef(value []byte, n int, e ecs.Entity) bool {
	at := p.addressOf(value)
	if !p.HasRefs() || n < 0 {
		return false
	}
	if k := p.codec(); k != nil {
		return k.setRef(at, n, e)
	}
	found := findRef(p.ops, at, &n)
	if found != nil {
		storeEntity(found, e)
	}
	return found != nil
}

// mapRefs maps the entities of the value at p. n is the number of the first one; it returns the
// number after the last one.
func mapRefs(ops []op, p unsafe.Pointer, n int, swap func(int, ecs.Entity) ecs.Entity) int {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case opRef:
			for k := range uintptr(o.count) {
				e := unsafe.Add(at, k*8)
				storeEntity(e, swap(n, loadEntity(e)))
				n++
			}
		case opRepeat:
			for k := range uintptr(o.count) {
				n = mapRefs(o.body, unsafe.Add(at, k*o.step), n, swap)
			}
		default:
		}
	}
	return n
}

// findRef returns the address of the n-th entity of the value at p. If the value has fewer
// entities, it returns nil and subtracts their number from n.
func findRef(ops []op, p unsafe.Pointer, n *int) unsafe.Pointer {
	for i := range ops {
		o := &ops[i]
		count, at := o.refs(), unsafe.Add(p, o.offset)
		switch {
		case *n >= count:
			*n -= count
		case o.kind == opRef:
			return unsafe.Add(at, *n*8)
		default:
			each := count / int(o.count)
			at = unsafe.Add(at, uintptr(*n/each)*o.step)
			*n %= each
			return findRef(o.body, at, n)
		}
	}
	return nil
}

// refs returns how many entities the op has.
func (o *op) refs() (n int) {
	switch o.kind {
	case opRef:
		return int(o.count)
	case opRepeat:
		for i := range o.body {
			n += o.body[i].refs()
		}
		return n * int(o.count)
	default:
		return 0
	}
}

// mapRefs encodes the value with the entities that swap returns, and decodes it again.
func (k *Codec) mapRefs(v unsafe.Pointer, swap func(int, ecs.Entity) ecs.Entity) {
	s := k.borrow()
	defer k.buffers.Put(s)
	table := swappedTable{entityTable: &s.refsA, swap: swap}
	k.Encode(&s.a, v, &table)
	s.bufA = s.a.Finish()
	if !table.changed {
		return
	}
	s.r.Reset(s.bufA)
	k.readValue(&s.r, v, &s.refsA)
}

func (k *Codec) setRef(v unsafe.Pointer, n int, e ecs.Entity) (set bool) {
	k.mapRefs(v, func(i int, old ecs.Entity) ecs.Entity {
		if i != n || !old.IsZero() {
			return old
		}
		set = true
		return e
	})
	return set
}

// swappedTable is a table of the entities that swap returns.
type swappedTable struct {
	*entityTable
	swap    func(int, ecs.Entity) ecs.Entity
	n       int
	changed bool
}

// Index implements RefWriter.
func (t *swappedTable) Index(e ecs.Entity) uint32 {
	to := t.swap(t.n, e)
	t.n++
	t.changed = t.changed || to != e
	return t.entityTable.Index(to)
}
