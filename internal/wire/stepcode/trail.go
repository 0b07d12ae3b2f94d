package stepcode

// Trail is what the differences of one component in one record have in common. Members of a group
// tend to move alike, so a difference is shorter if the trail of the previous ones is known. The
// zero value is for the first difference of a record. Writer and reader, also one that only skips,
// must pass the trail to every difference of the record.
type Trail struct {
	levels   [trailed]uint8 // the classes of earlier steps, in quarters of a class; the last step weighs as much as all earlier ones
	negative uint16         // bit i is set if the last step of number i was negative
	begun    bool           // a value was begun
}

// trailed is the number of numbers of a value for which the trail has a level.
const trailed = 16

// Copied returns a copy for Restore. t may be nil.
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

// Course computes what is expected of the steps of one value.
type Course struct {
	Trail  *Trail
	at     int   // index of the next number in its value
	follow bool  // the trail has levels, because an earlier value was written
	first  uint8 // the class expected of the first number of this kind, or unknown
	most   uint8 // the largest class so far of numbers of this kind
	any    bool  // there was a number of this kind

	mean  int // mean level of the present rotation in the trail
	above int // by how much the steps so far of the rotation were above their levels
}

// NewCourse begins a value. t may be nil.
func NewCourse(t *Trail) Course {
	c := Course{Trail: t, first: unknown}
	if t != nil {
		c.follow, t.begun = t.begun, true
	}
	return c
}

// Enter begins a field. If like is set, its numbers are of the same kind as those of the previous
// field and continue from them. turnBits is the number of bits of a component of a rotation, or 0
// for other numbers. The steps of a rotation that follows a position are expected to be as large as
// those of the position, up to half of turnBits. For other fields no class is expected at first.
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

// EnterAlone begins a field without a trail. It returns the course to continue with after that
// field.
func (c *Course) EnterAlone() (outer Course) {
	outer = *c
	*c = NewCourse(nil)
	return outer
}

// Number returns what to expect of the next number.
func (c *Course) Number() Hint {
	if !c.follow || c.at >= trailed {
		return c.chained()
	}
	sign := int8(-(c.Trail.negative >> c.at & 1)) | 1
	return Hint{class: classAt(int(c.Trail.levels[c.at])), sign: sign}
}

// quarters is the number of levels per class.
const quarters = 4

// classAt returns the class that is nearest to a level.
func classAt(level int) uint8 { return uint8((max(level, 0) + quarters/2) / quarters) }

// Turn returns what is expected of step i of the three of a rotation. Their order changes as a body
// turns, so the trail tells only about their size: each step is expected to be as large as the mean
// of all three was, plus half of the amount by which the ones before it in this rotation exceeded
// that. If there is no trail but a position came before, the class of the second step is between
// those of the position and the first step.
func (c *Course) Turn(i int) (h Hint) {
	switch {
	case c.follow && c.at-i+3 <= trailed:
		if i == 0 {
			l := c.Trail.levels[c.at:]
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

// chained returns what is expected because of the previous numbers of this kind: one class less
// than the largest of them.
func (c *Course) chained() Hint {
	if !c.any {
		return Hint{class: c.first}
	}
	return Hint{class: max(c.most, 1) - 1}
}

// Note records a step that was written or read.
func (c *Course) Note(step int64) {
	class := ClassOf(step)
	c.most, c.any = max(c.most, class), true
	if t, i := c.Trail, uint(c.at); t != nil && i < trailed {
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

// NoteWhole records a number that was written in full, as a step of class farthest.
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
