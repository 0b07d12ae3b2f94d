package event

// MaxEvents is how many events of one kind a queue keeps. A client that joins a world of 50,000
// entities gets an event for each of them at once. Twice that number leaves space for events that
// are raised before the last reader has run.
const MaxEvents = 100_000

// MaxMessageEvents is how many received messages of one type a queue keeps; see MessagesOf for the
// limit of a server. Messages come from peers and may hold text and slices, so the limit is
// tighter: at 60 frames per second it is 240,000 messages per second of one type.
const MaxMessageEvents = 4096

// Queue holds the events of one kind, oldest first, for any number of readers.
//
// An event stays until every system has had a chance to read it: to the end of the first frame
// after its own in which a tick ran. So a reader in any stage, also one that runs once per tick,
// reads it exactly once, whether it runs before or after the stage that raised it.
//
// A full queue drops its oldest event and counts it. A queue without readers keeps nothing.
type Queue[E any] struct {
	buf     []E
	head    int    // buf[head:] is valid
	aged    int    // buf[head:aged] was raised before the beginning of the last frame
	first   uint64 // the number of buf[head], counted since the queue began
	limit   int
	read    bool // it has a reader
	dropped uint64

	replay *replayed[E] // for events that belong to a tick; nil: events belong to a frame
	silent bool         // a tick is replayed
}

// replayed holds the events of a tick that is replayed. They are for readers that run in that tick,
// and are dropped at its end: readers outside of ticks have read those of the first run.
type replayed[E any] struct {
	buf   []E
	first uint64 // the number of buf[0], counted since the queue began
}

// Cursor is one reader's position in a queue. It is a value: a copy of it reads on from the same
// position independently.
type Cursor[E any] struct {
	queue      *Queue[E]
	next       uint64
	nextReplay uint64 // the number of the next event of a replay
}

// Cursor returns a reader of the events raised from now on.
func (q *Queue[E]) Cursor() Cursor[E] {
	q.read = true
	return Cursor[E]{queue: q, next: q.nextNumber()}
}

// Read returns the events raised since the last Read, oldest first. The slice is valid until the
// next frame begins; the caller must not change it. In a tick that is replayed it returns only
// events of that tick.
func (c *Cursor[E]) Read() []E {
	q := c.queue
	if q.silent {
		return c.readReplay()
	}
	skip := int(max(c.next, q.first) - q.first)
	c.next = q.nextNumber()
	return q.buf[q.head+skip : len(q.buf) : len(q.buf)]
}

func (c *Cursor[E]) readReplay() []E {
	r := c.queue.replay
	if r == nil {
		return nil
	}
	skip := int(max(c.nextReplay, r.first) - r.first)
	c.nextReplay = r.first + uint64(len(r.buf))
	return r.buf[skip:len(r.buf):len(r.buf)]
}

// Push raises an event.
func (q *Queue[E]) Push(event E) {
	switch {
	case !q.read:
	case q.silent && q.replay != nil:
		q.replay.buf = append(q.replay.buf, event)
	default:
		*q.appendZero() = event
		q.bound()
	}
}

// Replays declares that the events belong to a tick. If that tick is replayed, the events of its
// first run are not read again, and events raised during the replay are read only by systems that
// run in that tick.
func (q *Queue[E]) Replays() {
	if q.replay == nil {
		q.replay = &replayed[E]{}
	}
}

// silence(true) begins a tick that is replayed; silence(false) ends the last one.
func (q *Queue[E]) silence(on bool) {
	q.silent = on
	if r := q.replay; r != nil {
		r.first += uint64(len(r.buf))
		clear(r.buf)
		r.buf = r.buf[:0]
	}
}

// PushNew raises an event that is built in place: build gets a zero event, and if it returns an
// error, the event is removed again. This saves a copy and an allocation if the event is decoded
// through a pointer. Without a reader, build is not called.
func (q *Queue[E]) PushNew(build func(event *E) error) error {
	if !q.read {
		return nil
	}
	if err := build(q.appendZero()); err != nil {
		q.undo()
		return err
	}
	q.bound()
	return nil
}

// Dropped returns how many events were dropped because the queue was full.
func (q *Queue[E]) Dropped() uint64 { return q.dropped }

func (q *Queue[E]) nextNumber() uint64 { return q.first + uint64(len(q.buf)-q.head) }

// appendZero appends a zero event and returns its address.
func (q *Queue[E]) appendZero() *E {
	var zero E
	q.buf = append(q.buf, zero)
	return &q.buf[len(q.buf)-1]
}

// bound drops the oldest event of a queue above its limit. Slices that Read returned in this frame
// still refer to the old events, so nothing is overwritten: the head moves on, and once as many
// events are dropped as are valid, the valid ones move to a new buffer.
func (q *Queue[E]) bound() {
	if len(q.buf)-q.head <= q.limit {
		return
	}
	q.head++
	q.first++
	q.dropped++
	if q.head < q.limit {
		return
	}
	q.buf = append(make([]E, 0, 2*q.limit+1), q.buf[q.head:]...)
	q.aged = max(q.aged-q.head, 0)
	q.head = 0
}

func (q *Queue[E]) undo() {
	last := len(q.buf) - 1
	clear(q.buf[last:])
	q.buf = q.buf[:last]
}

// age drops the events that every reader has had a chance to read. It is called at the beginning of
// a frame that follows one in which a tick ran.
func (q *Queue[E]) age() {
	gone := max(q.aged, q.head)
	q.first += uint64(gone - q.head)
	n := copy(q.buf, q.buf[gone:])
	clear(q.buf[n:])
	q.buf = q.buf[:n]
	q.head, q.aged = 0, n
}
