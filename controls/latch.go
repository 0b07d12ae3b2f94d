package controls

import "cmp"

// Latch carries a button from frames to ticks. A device is polled once per frame, and a frame has
// no tick, one or several. A latch keeps presses and releases until a tick takes them, and returns
// each of them to one tick only. The zero Latch is a button that is up.
type Latch struct{ down, pressed, released bool }

// Set sets whether the button is down now. It may be called any number of times between two ticks; each
// press and each release counts, even one between two calls of Take.
func (l *Latch) Set(down bool) {
	l.pressed = l.pressed || down && !l.down
	l.released = l.released || !down && l.down
	l.down = down
}

// Take returns the button for one tick, once per tick. A press since the last Take is Pressed in
// this button, and not again in the next one. Several presses between two ticks count as one.
//
// Presses are kept until they are taken: a game that wants to ignore earlier presses calls Take and
// ignores the result.
func (l *Latch) Take() Button {
	b := Button{Down: l.down, Pressed: l.pressed, Released: l.released}
	l.pressed, l.released = false, false
	return b
}

// AxisLatch carries an axis from frames to ticks. A tick gets the newest value, because earlier
// ones are out of date. There is one exception: a push that began and ended between two ticks is
// returned for one tick, because a tap of a key must have an effect.
//
// It does not add up movements, so it is not suitable for relative movement of a mouse. In place of
// a missing input the previous one is repeated, which would turn the player again. Instead, let the
// game add up the player's aim, and send that: a field with net:"angle".
//
// The zero AxisLatch is at 0.
type AxisLatch struct {
	now   float32
	brief float32 // the greatest deflection of a push that began since the last Take
}

// Set sets the position of the axis, -1 to 1. It may be called any number of times between two ticks. The
// value is rounded to the nearest that can be sent, so that a stick at rest is at 0; a dead zone beyond
// 0.005 is up to the game.
func (l *AxisLatch) Set(v float32) {
	v = nearest(v)
	if began := l.now == 0 || l.brief != 0; began && abs(v) >= abs(l.brief) {
		l.brief = v
	}
	l.now = v
}

// Take returns the axis for one tick, once per tick.
func (l *AxisLatch) Take() Axis {
	v := cmp.Or(l.now, l.brief)
	l.brief = 0
	return Axis{v}
}

func abs(v float32) float32 { return max(v, -v) }

// Axis2Latch carries two axes from frames to ticks, each like an AxisLatch. Keys are bound to its X and
// its Y.
type Axis2Latch struct{ X, Y AxisLatch }

// Set sets the positions of the two axes. See AxisLatch.Set.
func (l *Axis2Latch) Set(x, y float32) {
	l.X.Set(x)
	l.Y.Set(y)
}

// Take returns the two axes for one tick, once per tick.
func (l *Axis2Latch) Take() Axis2 { return Axis2{l.X.Take().Value, l.Y.Take().Value} }
