package controls

// Latch carries a button from frames to ticks. A device is looked at once per frame, and
// a frame has no tick, one or several: a latch keeps what happened until a tick takes it,
// and gives it to one tick only. The zero Latch is up.
type Latch struct{ down, pressed, released bool }

// Set says whether the button is down now. It may be called any number of times between
// two ticks; each press and each release counts, also one between two calls of Take.
func (l *Latch) Set(down bool) {
	l.pressed = l.pressed || down && !l.down
	l.released = l.released || !down && l.down
	l.down = down
}

// Take returns the button for one tick, once per tick. What was pressed since the last
// Take is Pressed now, and not again at the next. Several presses between two ticks are
// one.
//
// What nobody takes stays: a game that does not want to see a press from before take it
// without looking.
func (l *Latch) Take() Button {
	b := Button{Down: l.down, Pressed: l.pressed, Released: l.released}
	l.pressed, l.released = false, false
	return b
}

// AxisLatch carries an axis from frames to ticks. A tick gets the newest value: what lies
// between is no longer true. Only a push that began and ended between two ticks is told
// all the same, for one tick, as a tap of a key must not be without effect.
//
// It does not add up, so it is not for a mouse that tells how far it moved: an input that
// is missing repeats the one before, and would turn the player again. Have the game add
// up where the player aims, and send that: a field with net:"angle".
//
// The zero AxisLatch is at 0.
type AxisLatch struct {
	now   float32
	brief float32 // the farthest of a push that began since the last Take
}

// Set says where the axis is now, -1 to 1. It may be called any number of times between
// two ticks. The value is moved to the nearest that can be sent, so that a stick at rest
// is at 0; a dead zone beyond 0.005 is the game's.
func (l *AxisLatch) Set(v float32) {
	v = nearest(v)
	if began := l.now == 0 || l.brief != 0; began && abs(v) >= abs(l.brief) {
		l.brief = v
	}
	l.now = v
}

// Take returns the axis for one tick, once per tick.
func (l *AxisLatch) Take() Axis {
	v := l.now
	if v == 0 {
		v = l.brief
	}
	l.brief = 0
	return Axis{v}
}

func abs(v float32) float32 { return max(v, -v) }

// Axis2Latch carries two axes from frames to ticks, each as an AxisLatch does. Keys are
// bound to its X and its Y.
type Axis2Latch struct{ X, Y AxisLatch }

// Set says where the two axes are now. See AxisLatch.Set.
func (l *Axis2Latch) Set(x, y float32) {
	l.X.Set(x)
	l.Y.Set(y)
}

// Take returns the two axes for one tick, once per tick.
func (l *Axis2Latch) Take() Axis2 { return Axis2{l.X.Take().Value, l.Y.Take().Value} }
