package cases

import (
	"encoding/binary"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// detectChurn prepares eight archetypes. In each round 1 % of the entities are spawned, 1 % are
// despawned, 1 % gain or lose a tag, and 10 % change values. The time that the game itself takes
// for the structural changes is not measured on either side; the time to detect them is.
func detectChurn() (report.Sides, error) {
	d, err := newDetectWorld()
	if err != nil {
		return report.Sides{}, err
	}
	c := &churn{d: d, l: newChurnLimit(), random: 1}
	for range detectEntities {
		c.spawn()
	}
	c.d.observe()
	c.l.observeChurn()
	round := 0
	return report.Sides{
		Before: func() {
			c.l.log = c.l.log[:0]
			round++
			d.change(round, 10)
			c.l.Change(round, 10)
			for _, work := range []func(){c.despawn, c.exchange, c.spawn} {
				for range detectEntities / 100 {
					work()
				}
			}
		},
		Ours:   d.observe,
		Limit:  c.l.observeChurn,
		Verify: c.verify,
	}, nil
}

// churn makes the same changes on both sides. Its entities are listed in the order of their spawns;
// the last entity fills the place of a despawned one.
type churn struct {
	d      *detectWorld
	l      *churnLimit
	alive  []churnEntity
	next   uint32
	random uint32
	ids    [11]ecs.ID
}

type churnEntity struct {
	entity ecs.Entity
	number uint32
}

func (c *churn) randomBelow(n int) int {
	c.random = c.random*1664525 + 1013904223
	return int(c.random>>8) % n
}

func (c *churn) spawn() {
	group := c.randomBelow(8)
	ids := append(c.ids[:0], c.d.ids...)
	for bit, tag := range c.d.tags {
		if group>>bit&1 != 0 {
			ids = append(ids, tag)
		}
	}
	number := c.next
	c.next++
	e := c.d.world.NewEntity(ids...)
	c.d.name(e, int(number)) // before Observe, so that both sides first see the entity with its number
	c.alive = append(c.alive, churnEntity{e, number})
	c.l.spawn(number, group)
}

func (c *churn) despawn() {
	i := c.randomBelow(len(c.alive))
	gone := c.alive[i]
	c.alive[i] = c.alive[len(c.alive)-1]
	c.alive = c.alive[:len(c.alive)-1]
	c.d.world.RemoveEntity(gone.entity)
	c.l.despawn(gone.number)
}

func (c *churn) exchange() {
	e := c.alive[c.randomBelow(len(c.alive))]
	bit := c.randomBelow(3)
	tag := append(c.ids[:0], c.d.tags[bit])
	if c.d.world.Has(e.entity, tag[0]) {
		c.d.world.Exchange(e.entity, nil, tag)
	} else {
		c.d.world.Exchange(e.entity, tag, nil)
	}
	c.l.move(e.number, bit)
}

func (c *churn) verify() error {
	if err := sameCount(len(c.d.table.Spawned()), len(c.l.spawned)); err != nil {
		return err
	}
	if err := sameCount(len(c.d.table.Despawned()), len(c.l.despawned)); err != nil {
		return err
	}
	return sameCount(c.d.countChanges(), c.l.Changed())
}

// churnLimit is eight groups of plain arrays. The game moves the rows of the present values and
// logs its operations. Observing repeats these on the shadows, which is the least cost of keeping
// shadows.
type churnLimit struct {
	limits.DetectLimit
	places             []churnPlace // by entity number
	log                []churnNote
	spawned, despawned []uint32
	moved              []uint32
}

type churnPlace struct{ group, row uint32 }

// churnNote logs that a row left a group, entered one, or both.
type churnNote struct {
	number   uint32
	from, to int32 // groups; -1 stands for none
	row      uint32
}

func newChurnLimit() *churnLimit {
	l := &churnLimit{}
	for range 8 {
		l.Groups = append(l.Groups, limits.NewDetectGroup(2*detectEntities/8))
	}
	return l
}

func (l *churnLimit) spawn(number uint32, group int) {
	l.places = append(l.places, churnPlace{})
	l.addRow(number, group)
	l.log = append(l.log, churnNote{number, -1, int32(group), 0})
}

func (l *churnLimit) despawn(number uint32) {
	p := l.places[number]
	l.log = append(l.log, churnNote{number, int32(p.group), -1, p.row})
	l.removeRow(p)
}

func (l *churnLimit) move(number uint32, bit int) {
	p := l.places[number]
	to := p.group ^ 1<<bit
	from, into := l.Groups[p.group], l.Groups[to]
	l.log = append(l.log, churnNote{number, int32(p.group), int32(to), p.row})
	l.addRow(number, int(to))
	row := into.Len() - 1
	for c, size := range limits.DetectSizes {
		copy(into.Now[c][row*size:], from.Now[c][int(p.row)*size:(int(p.row)+1)*size])
	}
	l.removeRow(p)
}

func (l *churnLimit) addRow(number uint32, group int) {
	g := l.Groups[group]
	l.places[number] = churnPlace{uint32(group), uint32(g.Len())}
	g.Numbers = append(g.Numbers, number)
	for c, size := range limits.DetectSizes {
		g.Now[c] = append(g.Now[c], limits.Zeros[:size]...)
	}
	binary.LittleEndian.PutUint64(g.Now[0][len(g.Now[0])-8:], uint64(number)<<32)
}

func (l *churnLimit) removeRow(p churnPlace) {
	g := l.Groups[p.group]
	last := g.Len() - 1
	moved := g.Numbers[last]
	g.Numbers[p.row] = moved
	g.Numbers = g.Numbers[:last]
	if int(p.row) != last {
		l.places[moved].row = p.row
	}
	for c, size := range limits.DetectSizes {
		dropRow(&g.Now[c], int(p.row), size)
	}
}

// dropRow overwrites a row with the last one and removes that.
func dropRow(column *[]byte, row, size int) {
	b := *column
	last := len(b) - size
	switch size {
	case 8:
		*(*[8]byte)(b[row*8:]) = *(*[8]byte)(b[last:])
	case 4:
		*(*[4]byte)(b[row*4:]) = *(*[4]byte)(b[last:])
	case 24:
		*(*[24]byte)(b[row*24:]) = *(*[24]byte)(b[last:])
	default:
		b[row] = b[last]
	}
	*column = b[:last]
}

// observeChurn repeats the logged operations on the shadows, then compares.
func (l *churnLimit) observeChurn() {
	l.spawned, l.despawned, l.moved = l.spawned[:0], l.despawned[:0], l.moved[:0]
	for i := range l.log {
		n := &l.log[i]
		switch {
		case n.from < 0:
			l.shadowEnter(l.Groups[n.to], n)
			l.spawned = append(l.spawned, n.number)
		case n.to < 0:
			l.shadowLeave(l.Groups[n.from], n)
			l.despawned = append(l.despawned, n.number)
		default:
			l.shadowMove(l.Groups[n.from], l.Groups[n.to], n)
			l.moved = append(l.moved, n.number)
		}
	}
	l.Observe()
}

func (l *churnLimit) shadowEnter(g *limits.DetectGroup, n *churnNote) {
	for c, size := range limits.DetectSizes {
		g.Old[c] = append(g.Old[c], limits.Zeros[:size]...)
	}
	binary.LittleEndian.PutUint64(g.Old[0][len(g.Old[0])-8:], uint64(n.number)<<32)
}

func (l *churnLimit) shadowLeave(g *limits.DetectGroup, n *churnNote) {
	for c, size := range limits.DetectSizes {
		dropRow(&g.Old[c], int(n.row), size)
	}
}

func (l *churnLimit) shadowMove(from, to *limits.DetectGroup, n *churnNote) {
	for c, size := range limits.DetectSizes {
		to.Old[c] = append(to.Old[c], from.Old[c][int(n.row)*size:int(n.row+1)*size]...)
	}
	l.shadowLeave(from, n)
}
