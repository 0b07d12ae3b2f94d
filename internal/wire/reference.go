package wire

import (
	"math"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// A reference may name an entity that comes later. Whoever decodes lets its
// RefReader return a Placeholder for it, finds with MapRefs which entities of the
// value those are, and sets them with SetRef when the entity has come.

// maxPlaceholders is how many there are.
const maxPlaceholders = 1 << 31

// Placeholder returns the n-th of 2^31 entities that no world gives out: their ids
// begin at the far end. It is for a RefReader that has to know where in a value an
// entity was put, and must not stay in a value that a game sees.
func Placeholder(n uint32) (e ecs.Entity) {
	*(*[2]uint32)(unsafe.Pointer(&e)) = [2]uint32{math.MaxUint32 - n%maxPlaceholders, math.MaxUint32}
	return e
}

// IsPlaceholder is the inverse of Placeholder.
func IsPlaceholder(e ecs.Entity) (n uint32, ok bool) {
	n = math.MaxUint32 - e.ID()
	return n, n < maxPlaceholders && e.Generation() == math.MaxUint32
}

// MapRefs puts what swap returns in the place of every entity of a value. n counts
// them from 0, in the order in which Decode reads them; the zero entity counts. Of
// a RefCodec it counts the calls of Index.
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

// SetRef sets the n-th entity of a value, counted as MapRefs does, and reports
// whether the value has so many. An entity in a type with a RefCodec is set only
// where the zero entity is, and only if the codec calls Index for that as well:
// of codecs that do not, nobody knows which of their entities is which.
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

// mapRefs maps the entities of the value at p and returns the number of the one
// that follows.
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

// findRef returns where the n-th entity of the value at p lies, or nil and n less
// those that there are.
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

// refs is how many entities there are in what the op moves.
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

// mapRefs encodes the value, with what swap makes of its entities, and decodes it
// again.
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

// swappedTable is a table of what swap makes of the entities that come.
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
