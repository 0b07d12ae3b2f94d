package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

// Records that are alike stand in one run, behind one head. So those of a packet's worth
// are put together by their class, which is what alike compares.

const (
	// minAlike is from how many records on it pays to say once what they are.
	minAlike = 4
	// maxClasses is how many classes are told apart. Those beyond count as unlike all.
	maxClasses = 16
	// unlike is the class of what is like nothing else, or like few.
	unlike = maxClasses
	// usualRecords is for how many records of a packet there is room from the start.
	usualRecords = 128
)

// alike reports whether two records can stand in one run of groups that are alike.
func (rec *planned) alike(o *planned) bool {
	return rec.kind == o.kind && rec.kind != 0 && rec.base == o.base && rec.apart == o.apart
}

// classes puts records of one class together.
type classes struct {
	like   [maxClasses]planned // one of each
	counts [maxClasses + 1]int
	of     []uint8 // by record
	sorted []planned
}

func newClasses() classes {
	return classes{of: make([]uint8, 0, usualRecords), sorted: make([]planned, 0, usualRecords)}
}

// sort puts records of one class together, and behind them those that are like few, each
// in their order. If not all of them may find room, only those of the usual class come
// first: the others are to take turns, whatever they are like.
func (c *classes) sort(records []planned, roomy bool) {
	if len(records) < minAlike {
		return
	}
	c.counts = [maxClasses + 1]int{}
	c.of = slices.Grow(c.of[:0], len(records))[:len(records)]
	for i := range records {
		k := c.classOf(&records[i])
		c.of[i] = uint8(k)
		c.counts[k]++
	}
	if c.counts[c.of[0]] < len(records) {
		c.scatter(records, roomy)
	}
}

// classOf returns the class of a record. Which that is follows from its base, which is
// of late: to compare with one after the other would be a branch that nobody can foresee.
func (c *classes) classOf(rec *planned) int {
	if rec.kind == 0 {
		return unlike
	}
	for probe := range entangle.Tick(maxClasses) {
		k := (rec.base + probe) % maxClasses
		if c.counts[k] == 0 {
			c.like[k] = *rec
		} else if !rec.alike(&c.like[k]) {
			continue
		}
		return int(k)
	}
	return unlike
}

// scatter moves each record to its place.
func (c *classes) scatter(records []planned, roomy bool) {
	var to [maxClasses + 1]uint8 // what a class is part of
	var next [maxClasses + 1]int // where the next one of it belongs
	at, usual := 0, c.of[len(records)/2]
	for k := range uint8(maxClasses) {
		if to[k] = k; c.counts[k] < minAlike || !roomy && k != usual {
			to[k] = unlike
			continue
		}
		next[k] = at
		at += c.counts[k]
	}
	to[unlike], next[unlike] = unlike, at
	c.sorted = slices.Grow(c.sorted[:0], len(records))[:len(records)]
	for i := range records {
		k := to[c.of[i]]
		c.sorted[next[k]] = records[i]
		next[k]++
	}
	copy(records, c.sorted)
}
