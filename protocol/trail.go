package protocol

// Trail is what the differences of one component within one record have in common.
// Members of a group tend to move alike, so a difference is written more shortly
// with the trail of the ones before it. The zero value begins a record; both
// sides, and who skips, must pass it along with every difference.
type Trail struct {
	levels   [trailed]uint8 // of the steps before: their classes in quarters, the last as much as all others
	negative uint16         // whether the last steps were, bit by bit
	begun    bool
}

// trailed is of how many numbers of a value the trail is kept.
const trailed = 16

// copied is what restore takes.
func (t *Trail) copied() (copied Trail) {
	if t != nil {
		copied = *t
	}
	return copied
}

func (t *Trail) restore(copied Trail) {
	if t != nil {
		*t = copied
	}
}

// course is what to expect of the next step of a value.
type course struct {
	trail  *Trail
	codes  *Codes
	at     int   // the number, in the trail
	follow bool  // whether the trail knows what went before
	first  uint8 // the class expected of the first number of this kind
	most   uint8 // the largest class so far among those of this kind
	any    bool  // whether there was one

	mean  int // the level of a rotation in the trail
	above int // by how much its steps so far were above theirs
}

// newCourse begins a value. Without a trail nothing is known to go before it.
func newCourse(t *Trail, codes *Codes) course {
	c := course{trail: t, codes: codes, first: unknown}
	if t != nil {
		c.follow, t.begun = t.begun, true
	}
	return c
}

// enter begins a field. Numbers like those of the field before go on from those. A
// rotation behind a position is expected to be as lively as that, up to half of its
// bits; of other things nothing is known.
func (c *course) enter(o *op) {
	switch {
	case o.like:
		return
	case c.any && o.kind == opQuat:
		c.first = min(c.most, uint8(o.quat.width)/2+1)
	default:
		c.first = unknown
	}
	c.most, c.any = 0, false
}

// enterAlone begins a field that keeps no trail, and returns what to go on with
// behind it.
func (c *course) enterAlone() (outer course) {
	outer = *c
	*c = newCourse(nil, nil)
	return outer
}

// number returns what to expect of the next number.
func (c *course) number() hint {
	if !c.follow || c.at >= trailed {
		return c.chained()
	}
	sign := int8(-(c.trail.negative >> c.at & 1)) | 1
	return hint{class: classAt(int(c.trail.levels[c.at])), sign: sign}
}

// quarters is how many levels a class has.
const quarters = 4

// classAt is the class that a level is nearest to.
func classAt(level int) uint8 { return uint8((max(level, 0) + quarters/2) / quarters) }

// turn returns what to expect of step i of the three of a rotation. They change
// places as a body turns, so that only their size follows from before: each is
// expected to be as large as all three were in the mean, and as those before it turn
// out by half. Where nothing went before, but a position, the second lies between that
// and the first.
func (c *course) turn(i int) (h hint) {
	switch {
	case c.follow && c.at-i+3 <= trailed:
		if i == 0 {
			l := c.trail.levels[c.at:]
			c.mean, c.above = (int(l[0])+int(l[1])+int(l[2]))/3, 0
			return hint{class: classAt(c.mean), turns: true}
		}
		return hint{class: classAt(c.mean + c.above/i/2), turns: true}
	case i == 1 && c.first != unknown:
		return hint{class: max((c.most+c.first+1)/2, 1) - 1, turns: true}
	}
	h = c.chained()
	h.turns = true
	return h
}

// chained is what to expect by the numbers before it: that it is a little smaller
// than the largest of them.
func (c *course) chained() hint {
	if !c.any {
		return hint{class: c.first}
	}
	return hint{class: max(c.most, 1) - 1}
}

// note keeps a step.
func (c *course) note(step int64) {
	class := classOf(step)
	c.most, c.any = max(c.most, class), true
	if t, i := c.trail, uint(c.at); t != nil && i < trailed {
		level := int(class) * quarters
		before := level
		if c.follow {
			before = int(t.levels[i])
		}
		c.above += level - before
		t.levels[i] = uint8((before + level) >> 1)
		t.negative = t.negative&^(1<<i) | uint16(uint64(step)>>63)<<i
	}
	c.at++
}

// noteWhole keeps that a number was written in full: it jumped, as far as steps go.
func (c *course) noteWhole(farthest uint8) { c.note(1 << farthest >> 1) }

func (c *course) noteTurn(steps [3]int64) {
	for _, step := range steps {
		c.note(step)
	}
}

func (c *course) noteTurnWhole(farthest uint8) {
	for range 3 {
		c.noteWhole(farthest)
	}
}
