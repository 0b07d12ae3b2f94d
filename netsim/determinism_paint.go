package netsim

import (
	"encoding/binary"
	"hash/maphash"
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// Newly spawned entities get ids in the order of spawning, which may differ without any difference
// in the game: for example, which hit target gets the first wound entity. So they are compared by
// their content: each gets a canonical label, computed from its components, from the entities that
// it refers to and from those that refer to it.

// paintRounds is the number of references in a chain over which labels detect a difference.
const paintRounds = 3

// Labels of references: none, a despawned entity, and any other by its id or label.
const (
	nobody uint64 = iota
	gone
)

var paintSeed = maphash.MakeSeed()

// isNew reports whether an entity was spawned since the previous snapshot.
func (p *picture) isNew(e ecs.Entity) bool {
	_, ok := p.news[e]
	return ok
}

// name returns the value that identifies an entity in all snapshots of the same moment.
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

var entityType = reflect.TypeFor[ecs.Entity]()

// entityAt reads an entity from a value.
func entityAt(value []byte, at uintptr) (e ecs.Entity) {
	copy(bytesOf(reflect.ValueOf(&e).Elem()), value[at:])
	return e
}

// paint finds the new entities and computes their labels.
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

// bare returns the label of an entity without its neighbours.
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

// repaint mixes the labels of its neighbours into every label.
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

// eachRef calls do for each reference of an entity, and for the target of its relation.
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
