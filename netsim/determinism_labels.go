package netsim

import (
	"encoding/binary"
	"hash/maphash"
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// Newly spawned entities get ids in the order of spawning, which may differ without any difference
// in the game: for example, which hit target gets the first wound entity. Therefore they are
// compared by their content: each gets a canonical label, computed from its components, from the
// entities that it refers to and from the entities that refer to it.

// labelRounds is how many references away a difference can be and still change the label of an
// entity.
const labelRounds = 3

// Labels of references: for no entity and for a despawned one. A reference to any other entity has
// its id or its label.
const (
	noEntity uint64 = iota
	removedEntity
)

var labelSeed = maphash.MakeSeed()

// isNew reports whether an entity was spawned since the previous snapshot.
func (p *snapshot) isNew(e ecs.Entity) bool {
	_, ok := p.labels[e]
	return ok
}

// identity returns the value that identifies an entity in all snapshots of the same moment.
func (p *snapshot) identity(e ecs.Entity) uint64 {
	if e.IsZero() {
		return noEntity
	}
	if label, ok := p.labels[e]; ok {
		return label
	}
	if _, ok := p.rowOf(e); !ok {
		return removedEntity
	}
	return uint64(e.ID())<<32 | uint64(e.Generation()) | 1<<63
}

var entityType = reflect.TypeFor[ecs.Entity]()

// entityAt reads an entity from a value.
func entityAt(value []byte, at uintptr) (e ecs.Entity) {
	copy(bytesOf(reflect.ValueOf(&e).Elem()), value[at:])
	return e
}

// label finds the new entities and computes their labels.
func (p *snapshot) label(before *snapshot, l *kindList) {
	if p.labels == nil {
		p.labels = map[ecs.Entity]uint64{}
	}
	clear(p.labels)
	for i := range p.rows {
		if _, ok := before.rowOf(p.rows[i].entity); !ok {
			p.labels[p.rows[i].entity] = l.ownLabel(p, &p.rows[i])
		}
	}
	if len(p.labels) == 0 {
		return
	}
	for range labelRounds {
		p.labels = l.mixLabels(p)
	}
}

// ownLabel returns the label of an entity without its neighbours.
func (l *kindList) ownLabel(p *snapshot, r *row) uint64 {
	var h maphash.Hash
	h.SetSeed(labelSeed)
	for place, n := range r.kinds {
		hashWord(&h, uint64(n))
		v := l.value(p, r, place)
		for _, f := range l.kinds[n].fields {
			_, _ = h.Write(v[f.from:f.to])
		}
	}
	return h.Sum64()
}

// mixLabels mixes the labels of its neighbours into the label of each new entity.
func (l *kindList) mixLabels(p *snapshot) map[ecs.Entity]uint64 {
	next := make(map[ecs.Entity]uint64, len(p.labels))
	for i := range p.rows {
		r := &p.rows[i]
		mine := p.identity(r.entity)
		l.eachRef(p, r, func(kind int, at uintptr, e ecs.Entity) {
			if p.isNew(r.entity) {
				next[r.entity] += hashWords(1, uint64(kind), uint64(at), p.identity(e))
			}
			if p.isNew(e) {
				next[e] += hashWords(2, uint64(kind), uint64(at), mine)
			}
		})
	}
	for e, label := range p.labels {
		next[e] = hashWords(3, label, next[e], 0)
	}
	return next
}

// eachRef calls do for each reference of an entity, and for the target of its relation.
func (l *kindList) eachRef(p *snapshot, r *row, do func(kind int, at uintptr, e ecs.Entity)) {
	for place, n := range r.kinds {
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

func hashWords(a, b, c, d uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(labelSeed)
	for _, x := range [...]uint64{a, b, c, d} {
		hashWord(&h, x)
	}
	return h.Sum64()
}

func hashWord(h *maphash.Hash, x uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	_, _ = h.Write(b[:])
}
