package stepcode

// Trail is what the differences of one component within one record have in common.
// Members of a group tend to move alike, so a difference is written more shortly
// with the trail of the ones before it. The zero value begins a record; both
// sides, and a reader that skips, must pass it along with every difference.
type Trail struct {
	levels   [Trailed]uint8 // of the steps before: their classes in quarters, the last as much as all others
	negative uint16         // whether the last steps were, bit by bit
	begun    bool
}

// Trailed is of how many numbers of a value the trail is kept.
const Trailed = 16

// Copied is what restore takes.
func (t *Trail) Copied() (copied Trail) {
	if t != nil {
		copied = *t
	}
	return copied
}

func (t *Trail) Restore(copied Trail) {
	if t != nil {
		*t = copied
	}
}

// Course is what to expect of the next step of a value.
type Course struct {
	Trail  *Trail
	codes  *Codes
	At     int   // the number, in the trail
	follow bool  // whether the trail knows what went before
	first  uint8 // the class expected of the first number of this kind
	most   uint8 // the largest class so far among those of this kind
	any    bool  // whether there was one

	mean  int // the level of a rotation in the trail
	above int // by how much its steps so far were above theirs
}

// NewCourse begins a value. Without a trail nothing is known to go before it.
func NewCourse(t *Trail, codes *Codes) Course {
	c := Course{Trail: t, codes: codes, first: unknown}
	if t != nil {
		c.follow, t.begun = t.begun, true
	}
	return c
}

// Enter begins a field. Its numbers continue from those of the field before if they are of
// one kind with them. The steps of a rotation behind a position are expected to be as large as
// the position's, up to half of the bits of the rotation's parts: turnBits, which is 0 for
// other numbers. Nothing is known about other fields.
func (c *Course) Enter(like bool, turnBits uint8) {
	switch {
	case like:
		return
	case c.any && turnBits > 0:
		c.first = min(c.most, turnBits/2+1)
	default:
		c.first = unknown
	}
	c.most, c.any = 0, false
}

// EnterAlone begins a field that keeps no trail, and returns what to go on with
// behind it.
func (c *Course) EnterAlone() (outer Course) {
	outer = *c
	*c = NewCourse(nil, nil)
	return outer
}

// Number returns what to expect of the next number.
func (c *Course) Number() Hint {
	if !c.follow || c.At >= Trailed {
		return c.chained()
	}
	sign := int8(-(c.Trail.negative >> c.At & 1)) | 1
	return Hint{class: classAt(int(c.Trail.levels[c.At])), sign: sign}
}

// quarters is how many levels a class has.
const quarters = 4

// classAt is the class that a level is nearest to.
func classAt(level int) uint8 { return uint8((max(level, 0) + quarters/2) / quarters) }

// Turn returns what to expect of step i of the three of a rotation. They change
// places as a body turns, so that only their size follows from before: each is
// expected to be as large as all three were in the mean, and as those before it turn
// out by half. Where nothing went before, but a position, the second lies between that
// and the first.
func (c *Course) Turn(i int) (h Hint) {
	switch {
	case c.follow && c.At-i+3 <= Trailed:
		if i == 0 {
			l := c.Trail.levels[c.At:]
			c.mean, c.above = (int(l[0])+int(l[1])+int(l[2]))/3, 0
			return Hint{class: classAt(c.mean), turns: true}
		}
		return Hint{class: classAt(c.mean + c.above/i/2), turns: true}
	case i == 1 && c.first != unknown:
		return Hint{class: max((c.most+c.first+1)/2, 1) - 1, turns: true}
	}
	h = c.chained()
	h.turns = true
	return h
}

// chained is what to expect by the numbers before it: that it is a little smaller
// than the largest of them.
func (c *Course) chained() Hint {
	if !c.any {
		return Hint{class: c.first}
	}
	return Hint{class: max(c.most, 1) - 1}
}

// Note keeps a step.
func (c *Course) Note(step int64) {
	class := ClassOf(step)
	c.most, c.any = max(c.most, class), true
	if t, i := c.Trail, uint(c.At); t != nil && i < Trailed {
		level := int(class) * quarters
		before := level
		if c.follow {
			before = int(t.levels[i])
		}
		c.above += level - before
		t.levels[i] = uint8((before + level) >> 1)
		t.negative = t.negative&^(1<<i) | uint16(uint64(step)>>63)<<i
	}
	c.At++
}

// NoteWhole keeps that a number was written in full: it jumped, as far as steps go.
func (c *Course) NoteWhole(farthest uint8) { c.Note(1 << farthest >> 1) }

func (c *Course) NoteTurn(steps [3]int64) {
	for _, step := range steps {
		c.Note(step)
	}
}

func (c *Course) NoteTurnWhole(farthest uint8) {
	for range 3 {
		c.NoteWhole(farthest)
	}
}
