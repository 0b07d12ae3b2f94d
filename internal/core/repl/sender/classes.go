package sender

import (
	"math"
	"slices"

	"github.com/entangle-ecs/entangle"
)

// Records that are alike stand in one run, behind one head. So those of a packet's worth
// are put together by their class, which is what alike compares.

const (
	// minAlike is the number of records from which stating their common prefix once pays.
	minAlike = 4
	// maxClasses is how many classes are told apart. Those beyond count as unlike all.
	maxClasses = 16
	// unlike is the class of records that are like no others, or like few.
	unlike = maxClasses
	// usualRecords is how many records a packet is worth, as a rule, at most.
	usualRecords = 128
)

// alike reports whether two records can stand in one run of groups that are alike.
func (rec *planned) alike(o *planned) bool {
	return rec.kind == o.kind && rec.kind != 0 && rec.base == o.base && rec.apart == o.apart
}

// places is a set of records, by where they stand.
type places [usualRecords / 64]uint64

func (s *places) set(i int) { s[i>>6] |= 1 << (i & 63) }

func (s *places) join(o *places) {
	for i, word := range o {
		s[i] |= word
	}
}

// classes is the classes found among the records that are to be grouped.
type classes struct {
	like   [maxClasses]uint16 // one record of each
	counts [maxClasses + 1]uint16
}

// aside is where classes are worked out and records moved. As a rule that is the stack,
// which is at hand: what a peer keeps is not, after all others had their turn.
type aside struct {
	of      []uint8
	records []planned
}

// sortOut puts records of one class together, and behind them those that are like few, each
// in their order. If not all of them may find room, only those of the usual class come
// first: the others are to take turns, whatever they are like.
func (p *Peer) sortOut(records []planned, roomy bool) {
	if n := len(records); n > usualRecords {
		p.aside.of, p.aside.records = slices.Grow(p.aside.of[:0], n)[:n], slices.Grow(p.aside.records[:0], n)[:n]
		sortByClass(records, roomy, &p.aside)
		return
	}
	var of [usualRecords]uint8
	var moved [usualRecords]planned
	sortByClass(records, roomy, &aside{of[:len(records)], moved[:len(records)]})
}

// sortByClass is sortOut with room for the class and a copy of each record.
func sortByClass(records []planned, roomy bool, a *aside) {
	if len(records) < minAlike || len(records) > math.MaxUint16 {
		return
	}
	copy(a.records, records)
	var c classes
	for i := range records {
		a.of[i] = uint8(c.add(records, i))
	}
	if int(c.counts[a.of[0]]) < len(records) {
		c.scatter(records, a, roomy)
	}
}

// add finds out the class of a record. Which that is follows from its base, which is
// of late: to compare with one after the other would be a branch that nobody can foresee.
func (c *classes) add(records []planned, i int) (k int) {
	k = c.classOf(records, &records[i])
	if k < unlike && c.counts[k] == 0 {
		c.like[k] = uint16(i)
	}
	c.counts[k]++
	return k
}

func (c *classes) classOf(records []planned, rec *planned) int {
	if rec.kind == 0 {
		return unlike
	}
	for probe := range entangle.Tick(maxClasses) {
		k := (rec.base + probe) % maxClasses
		if c.counts[k] == 0 || rec.alike(&records[c.like[k]]) {
			return int(k)
		}
	}
	return unlike
}

// scatter moves each record to its place.
func (c *classes) scatter(records []planned, a *aside, roomy bool) {
	var to [maxClasses + 1]uint8    // what a class is part of
	var next [maxClasses + 1]uint16 // where the next one of it belongs
	at, usual := uint16(0), a.of[len(records)/2]
	for k := range uint8(maxClasses) {
		if to[k] = k; c.counts[k] < minAlike || !roomy && k != usual {
			to[k] = unlike
			continue
		}
		next[k] = at
		at += c.counts[k]
	}
	to[unlike], next[unlike] = unlike, at
	for i := range a.records {
		k := to[a.of[i]]
		records[next[k]] = a.records[i]
		next[k]++
	}
}
