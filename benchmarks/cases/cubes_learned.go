package cases

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// cubesLessons samples the values from which codes are learned, like a server: a few of the changed
// values from time to time. New codes count as sent, and are used when they are acknowledged, six
// frames later.
type cubesLessons struct {
	tally wire.StepCounter
	next  *stepcode.Codes // in flight
	at    int             // the frame in which they arrive
	trail stepcode.Trail
}

// learn samples a frame and, if codes are due, derives new ones. It returns the bits that sending
// them costs.
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

// derive computes new codes and sends them through the wire format, so that both sides use the
// decoded ones.
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

// The number of frames from one derivation of codes to the next, and the number of changed cubes
// that are sampled of each frame.
const (
	cubesDeriveEvery = 128
	cubesSampled     = 32
)

// sample adds some of the changed cubes to the statistics, starting at a different cube in each
// frame.
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
