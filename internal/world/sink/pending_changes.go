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
	blocks []pendingBlock // of list
	values []pendingValue
	buf    []byte
	gone   int       // number of changes in list that are done
	last   []int32   // by slot of the samples: the newest change of the entity, as its index in list plus 1; 0: none
	newest [][]int32 // by component and slot: the newest value that waits, as its index in values plus 1; 0: none
	due    []int32   // stack of indexes in list: showing one change may show all others of its entity
}

// pendingBlock is a number of changes in a row. Most of them wait for some frames, in which they need not be looked at
// one by one.
type pendingBlock struct {
	waiting int           // number of changes that are not done
	tick    entangle.Tick // the earliest one of its changes
}

const blockSize = 64

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
	since      entangle.Tick // the present tick when the change arrived, see Applier.presentTick
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

// maxPendingTicks bounds how long a change waits. The delay of a timeline is shorter, unless its interval is hundreds
// of ticks, or the server states ticks that are far ahead.
const maxPendingTicks = 512

// add adds a change without values. A tick that is far from the present, or before that of the entity's previous
// change, is of a hostile server, and becomes the nearest one that is not: ticks more than half of the wrap-around
// apart have no order.
func (p *pendingChanges) add(c pendingChange) *pendingChange {
	p.compact()
	c.first, c.end = len(p.values), len(p.values)
	c.tick = c.since + entangle.Tick(min(max(c.tick.Sub(c.since), -maxPendingTicks), maxPendingTicks))
	if before := p.lastOf(c.slot); before > 0 && c.tick.Before(p.list[before-1].tick) {
		c.tick = p.list[before-1].tick
	}
	return p.append(c)
}

// append adds a change to the list, and to the changes of its entity.
func (p *pendingChanges) append(c pendingChange) *pendingChange {
	for len(p.last) <= int(c.slot) {
		p.last = append(p.last, 0)
	}
	c.before = p.last[c.slot]
	if len(p.list)%blockSize == 0 {
		p.blocks = append(p.blocks, pendingBlock{tick: c.tick})
	}
	block := &p.blocks[len(p.blocks)-1]
	block.waiting++
	if c.tick.Before(block.tick) {
		block.tick = c.tick
	}
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
	c := &p.list[len(p.list)-1]
	c.end = len(p.values)
	p.setNewest(c.slot, comp, int32(c.end))
}

// setNewest sets the newest value of a component of an entity.
func (p *pendingChanges) setNewest(s snapshot.Slot, comp int, to int32) {
	for len(p.newest) <= comp {
		p.newest = append(p.newest, nil)
	}
	if of := p.newest[comp]; len(of) <= int(s) {
		p.newest[comp] = append(of, make([]int32, int(s)+1-len(of))...)
	}
	p.newest[comp][s] = to
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
	p.list, p.blocks = p.list[:0], p.blocks[:0]
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
			p.setNewest(c.slot, v.comp, int32(len(values)))
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
func (p *pendingChanges) finish(i int32) {
	c := &p.list[i]
	if c.done {
		return
	}
	c.done = true
	p.gone++
	p.blocks[i/blockSize].waiting--
	for at := c.first; at < c.end; at++ {
		if newest := &p.newest[p.values[at].comp][c.slot]; *newest == int32(at)+1 {
			*newest = 0
		}
	}
}

// dropSlot drops the changes of an entity.
func (p *pendingChanges) dropSlot(s snapshot.Slot) {
	for i := p.lastOf(s); i > 0; i = p.list[i-1].before {
		p.finish(i - 1)
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

// newestOf returns the newest value of a component of an entity that waits to be shown. A removal of the component that
// waits, too, does not matter.
func (p *pendingChanges) newestOf(s snapshot.Slot, comp int) (v *pendingValue, ok bool) {
	if comp >= len(p.newest) || int(s) >= len(p.newest[comp]) || p.newest[comp][s] == 0 {
		return nil, false
	}
	return &p.values[p.newest[comp][s]-1], true
}

// findDue pushes the changes for which isDue returns true on the stack, by rising tick. latest is the latest tick at
// which entities are shown, and not before the present one. So a change that has waited for maxPendingTicks is not
// later.
func (p *pendingChanges) findDue(latest entangle.Tick, isDue func(*pendingChange) bool) []int32 {
	begin := len(p.due)
	for b := range p.blocks {
		block := &p.blocks[b]
		if block.waiting == 0 || latest.Before(block.tick) {
			continue
		}
		for i := b * blockSize; i < min((b+1)*blockSize, len(p.list)); i++ {
			if c := &p.list[i]; !c.done && isDue(c) {
				p.due = append(p.due, int32(i))
			}
		}
	}
	return p.sortDue(begin)
}

// findAll is findDue for all changes.
func (p *pendingChanges) findAll() []int32 {
	begin := len(p.due)
	for i := range p.list {
		if !p.list[i].done {
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
