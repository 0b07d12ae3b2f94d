package sink

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// pendingChanges are the changes of interpolated entities that are not shown yet, in the order in which they
// arrived. The changes of one entity have rising ticks.
type pendingChanges struct {
	list   []pendingChange
	values []pendingValue
	buf    []byte
	gone   int     // number of changes in list that are done
	last   []int32 // by slot of the samples: the newest change of the entity, as its index in list plus 1; 0: none
	due    []int32 // stack of indexes in list: showing one change may show all others of its entity
}

type changeKind uint8

const (
	changeComponents changeKind = iota // also the spawn
	changeDespawn
	changeOrphan
)

// pendingChange is a change of one entity.
type pendingChange struct {
	slot       snapshot.Slot
	kind       changeKind
	done       bool
	tick       entangle.Tick
	since      entangle.Tick // the shown tick of the entity's timeline when the change arrived
	removed    set.Mask
	updated    set.Mask // components with a new value, of which the event is raised
	first, end int      // its values
	before     int32    // the change before it of the same entity, as in pendingChanges.last
}

// pendingValue is one value of a change.
type pendingValue struct {
	comp     int
	at, size int        // the offset and the number of its bytes in buf
	target   ecs.Entity // of a relation
}

// maxPendingBytes bounds the memory of the changes that wait to be shown. Beyond it, all of them are shown
// in the next frame. A server can have so many changes only if tens of thousands of entities spawn at once, or
// if it changes their structure, or their values that are not blended, all the time.
const maxPendingBytes = 32 << 20

// maxPendingTicks bounds how long a change waits, in ticks of the entity's timeline. The delay of a timeline
// is shorter, unless the server states ticks that are far ahead.
const maxPendingTicks = 512

// add adds a change without values.
func (p *pendingChanges) add(c pendingChange) *pendingChange {
	p.compact()
	c.first, c.end = len(p.values), len(p.values)
	return p.append(c)
}

// append adds a change to the list, and to the changes of its entity.
func (p *pendingChanges) append(c pendingChange) *pendingChange {
	for len(p.last) <= int(c.slot) {
		p.last = append(p.last, 0)
	}
	c.before = p.last[c.slot]
	p.list = append(p.list, c)
	p.last[c.slot] = int32(len(p.list))
	return &p.list[len(p.list)-1]
}

// bytes returns the memory of all changes, also of those that are done.
func (p *pendingChanges) bytes() int {
	return len(p.buf) + len(p.list)*changeBytes + len(p.values)*valueBytes
}

var changeBytes, valueBytes = int(reflect.TypeFor[pendingChange]().Size()), int(reflect.TypeFor[pendingValue]().Size())

// addValue adds a value to the newest change.
func (p *pendingChanges) addValue(comp int, value []byte, target ecs.Entity) {
	at := (len(p.buf) + 7) &^ 7
	p.buf = append(p.buf, make([]byte, at-len(p.buf))...)
	p.buf = append(p.buf, value...)
	p.values = append(p.values, pendingValue{comp: comp, at: at, size: len(value), target: target})
	p.list[len(p.list)-1].end = len(p.values)
}

// compact removes the changes that are done, once they are more than the others.
func (p *pendingChanges) compact() {
	if p.gone <= len(p.list)/2 || p.gone < 64 && p.gone < len(p.list) {
		return
	}
	for i := range p.list {
		p.last[p.list[i].slot] = 0
	}
	list, values, buf := p.list, p.values[:0], 0
	p.list = p.list[:0]
	for _, c := range list {
		if c.done {
			continue
		}
		first := len(values)
		for _, v := range p.valuesOf(&c) {
			at := (buf + 7) &^ 7
			copy(p.buf[at:], p.buf[v.at:v.at+v.size])
			v.at, buf = at, at+v.size
			values = append(values, v)
		}
		c.first, c.end = first, len(values)
		p.append(c)
	}
	p.values, p.buf, p.gone = values, p.buf[:buf], 0
}

// valuesOf returns the values of a change.
func (p *pendingChanges) valuesOf(c *pendingChange) []pendingValue { return p.values[c.first:c.end] }

// bytesOf returns the bytes of a value.
func (p *pendingChanges) bytesOf(v *pendingValue) []byte {
	return p.buf[v.at : v.at+v.size : v.at+v.size]
}

// finish marks a change as done.
func (p *pendingChanges) finish(c *pendingChange) {
	if !c.done {
		c.done = true
		p.gone++
	}
}

// dropSlot drops the changes of an entity.
func (p *pendingChanges) dropSlot(s snapshot.Slot) {
	for i := p.lastOf(s); i > 0; i = p.list[i-1].before {
		p.finish(&p.list[i-1])
	}
	if int(s) < len(p.last) {
		p.last[s] = 0
	}
}

// lastOf returns the newest change of an entity as in last.
func (p *pendingChanges) lastOf(s snapshot.Slot) int32 {
	if int(s) >= len(p.last) {
		return 0
	}
	return p.last[s]
}

// newest returns the newest value of a component of an entity.
func (p *pendingChanges) newest(s snapshot.Slot, comp int) (v *pendingValue, ok bool) {
	for i := p.lastOf(s); i > 0; i = p.list[i-1].before {
		c := &p.list[i-1]
		if c.done {
			continue
		}
		if c.removed.Has(comp) {
			return nil, false
		}
		values := p.valuesOf(c)
		if k := slices.IndexFunc(values, func(v pendingValue) bool { return v.comp == comp }); k >= 0 {
			return &values[k], true
		}
	}
	return nil, false
}

// findDue pushes the changes for which isDue returns true on the stack, by rising tick.
func (p *pendingChanges) findDue(isDue func(*pendingChange) bool) []int32 {
	begin := len(p.due)
	for i := range p.list {
		if c := &p.list[i]; !c.done && isDue(c) {
			p.due = append(p.due, int32(i))
		}
	}
	return p.sortDue(begin)
}

// findOf is findDue for all changes of an entity.
func (p *pendingChanges) findOf(s snapshot.Slot) []int32 {
	begin := len(p.due)
	for i := p.lastOf(s); i > 0; i = p.list[i-1].before {
		if !p.list[i-1].done {
			p.due = append(p.due, i-1)
		}
	}
	slices.Reverse(p.due[begin:])
	return p.sortDue(begin)
}

func (p *pendingChanges) sortDue(begin int) []int32 {
	due := p.due[begin:]
	slices.SortStableFunc(due, func(a, b int32) int { return cmp.Compare(p.list[a].tick.Sub(p.list[b].tick), 0) })
	return due
}
