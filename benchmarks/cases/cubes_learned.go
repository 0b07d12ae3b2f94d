package cases

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// cubesLessons are the values that codes are learned from, like on a server: a few of the changed
// values, now and then. New codes count as sent, and are used when they are acknowledged, six
// frames later.
type cubesLessons struct {
	tally wire.StepCounter
	next  *stepcode.Codes // in flight
	at    int             // frame in which they arrive
	trail stepcode.Trail
}

// learn takes in a frame, and returns the bits of new codes.
func (c *cubesCodec) learn(f int) (told int, err error) {
	l := c.lessons
	if l == nil {
		return 0, nil
	}
	if l.next != nil && f == l.at {
		c.codes, l.next = l.next, nil
	}
	if l.next == nil && f%cubesDeriveEvery == 0 {
		told, err = c.derive(f)
	}
	c.sample(f)
	return told, err
}

// derive looks for new codes. Those that go on are as they were read.
func (c *cubesCodec) derive(f int) (told int, err error) {
	next := c.lessons.tally.Derive(c.codes, stepcode.MaxBooks)
	if next == nil {
		return 0, nil
	}
	c.w.Reset(c.buf[:0])
	next.Append(&c.w, c.codes)
	told, c.buf = c.w.LenBits(), c.w.Finish()
	c.r.Reset(c.buf)
	c.lessons.at = f + cubesAgo
	c.lessons.next, err = stepcode.ReadCodes(&c.r, c.codes)
	return told, errors.Join(err, c.r.End())
}

// The number of frames between two derivations of codes, and the number of cubes of each frame that
// are sampled.
const (
	cubesDeriveEvery = 128
	cubesSampled     = 32
)

// sample takes some of the changed cubes, starting from another one in each frame.
func (c *cubesCodec) sample(f int) {
	l, n := c.lessons, 0
	l.trail = stepcode.Trail{}
	for k := 0; k < cubesCount && n < cubesSampled; k++ {
		i := (k + f*cubesSampled) % cubesCount
		if !c.hasCube(f, i) {
			continue
		}
		if c.form == cubesAlone {
			l.trail = stepcode.Trail{}
		}
		from := c.bases(f, i)
		from.Trail = &l.trail
		l.tally.Add(c.plan, &from, c.cube(f, i))
		n++
	}
}
