package protocol

// Trail is what the differences of one component within one record have in common.
// Members of a group tend to move alike, so a difference is written more shortly
// with the trail of the ones before it. The zero value begins a record; both
// sides, and who skips, must pass it along with every difference.
type Trail struct {
	steps [trailed]int8 // classes of the last steps, with their signs
	begun bool
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
	at     int   // the number, in the trail
	follow bool  // whether the trail knows what went before
	first  uint8 // the class expected of the first number of this kind
	most   uint8 // the largest class so far among those of this kind
	any    bool  // whether there was one
}

// newCourse begins a value. Without a trail nothing is known to go before it.
func newCourse(t *Trail) course {
	c := course{trail: t, first: unknown}
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
	*c = newCourse(nil)
	return outer
}

// number returns what to expect of the next number.
func (c *course) number() hint {
	if !c.follow || c.at >= trailed {
		return c.chained()
	}
	last := c.trail.steps[c.at]
	return hint{class: uint8(max(last, -last)), sign: last>>7 | 1}
}

// turn returns what to expect of step i of the three of a rotation. They change
// places as a body turns, so that only their size follows from before: the first is
// expected to be as large as the largest was, the second to lie between that and the
// first.
func (c *course) turn(i int) hint {
	switch {
	case i == 0 && c.follow && c.at+3 <= trailed:
		c.first = 0
		for _, last := range c.trail.steps[c.at : c.at+3] {
			c.first = max(c.first, uint8(max(last, -last)))
		}
		return hint{class: c.first}
	case i == 1 && c.first != unknown:
		return hint{class: max((c.most+c.first+1)/2, 1) - 1}
	default:
		return c.chained()
	}
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
	if c.trail != nil && c.at < trailed {
		sign := int8(step >> 63)
		c.trail.steps[c.at] = (int8(class) ^ sign) - sign
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
