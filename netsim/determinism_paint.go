package netsim

import (
	"encoding/binary"
	"hash/maphash"
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// Entities that a system spawns get ids in the order in which it does, and that may be
// another without the game being any different: who was hit first gets the first wound. So
// they are compared by what they are: each has a colour, which follows from its components
// and from the entities that it refers to and that refer to it.

// paintRounds is over how many references a difference is seen.
const paintRounds = 3

// named entities: none, one that is gone, and any other by its id or colour.
const (
	nobody uint64 = iota
	gone
)

var paintSeed = maphash.MakeSeed()

// isNew reports whether an entity has come since the picture before.
func (p *picture) isNew(e ecs.Entity) bool {
	_, ok := p.news[e]
	return ok
}

// name returns by what an entity is known in all pictures of a moment.
func (p *picture) name(e ecs.Entity) uint64 {
	if e.IsZero() {
		return nobody
	}
	if colour, ok := p.news[e]; ok {
		return colour
	}
	if _, ok := p.find(e); !ok {
		return gone
	}
	return uint64(e.ID())<<32 | uint64(e.Generation()) | 1<<63
}

// entityAt reads an entity in a value.
func entityAt(value []byte, at uintptr) (e ecs.Entity) {
	copy(bytesOf(reflect.ValueOf(&e).Elem()), value[at:])
	return e
}

// paint finds the entities that were not there before, and gives each its colour.
func (p *picture) paint(before *picture, l *kindList) {
	if p.news == nil {
		p.news = map[ecs.Entity]uint64{}
	}
	clear(p.news)
	for i := range p.rows {
		if _, ok := before.find(p.rows[i].entity); !ok {
			p.news[p.rows[i].entity] = l.bare(p, &p.rows[i])
		}
	}
	if len(p.news) == 0 {
		return
	}
	for range paintRounds {
		p.news = l.repaint(p)
	}
}

// bare is the colour of an entity alone.
func (l *kindList) bare(p *picture, r *row) uint64 {
	var h maphash.Hash
	h.SetSeed(paintSeed)
	for place, n := range r.comps {
		feed(&h, uint64(n))
		v := l.value(p, r, place)
		for _, f := range l.kinds[n].fields {
			_, _ = h.Write(v[f.from:f.to])
		}
	}
	return h.Sum64()
}

// repaint mixes into every colour those of the neighbours.
func (l *kindList) repaint(p *picture) map[ecs.Entity]uint64 {
	next := make(map[ecs.Entity]uint64, len(p.news))
	for i := range p.rows {
		r := &p.rows[i]
		mine := p.name(r.entity)
		l.eachRef(p, r, func(kind int, at uintptr, e ecs.Entity) {
			if p.isNew(r.entity) {
				next[r.entity] += blend(1, uint64(kind), uint64(at), p.name(e))
			}
			if p.isNew(e) {
				next[e] += blend(2, uint64(kind), uint64(at), mine)
			}
		})
	}
	for e, colour := range p.news {
		next[e] = blend(3, colour, next[e], 0)
	}
	return next
}

// eachRef is for all references of an entity, and the target of its relation.
func (l *kindList) eachRef(p *picture, r *row, do func(kind int, at uintptr, e ecs.Entity)) {
	for place, n := range r.comps {
		k := &l.kinds[n]
		if k.relation {
			do(n, ^uintptr(0), r.target)
		}
		if len(k.refs) == 0 {
			continue
		}
		v := l.value(p, r, place)
		for _, at := range k.refs {
			do(n, at, entityAt(v, at))
		}
	}
}

func blend(a, b, c, d uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(paintSeed)
	for _, x := range [...]uint64{a, b, c, d} {
		feed(&h, x)
	}
	return h.Sum64()
}

func feed(h *maphash.Hash, x uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	_, _ = h.Write(b[:])
}
