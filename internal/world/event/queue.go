package event

// MaxEvents is how many events of one kind a queue keeps. A client that joins a
// world of 50,000 entities gets an event for each of them at once, and twice as
// many leave room for what is raised before the last reader came round.
const MaxEvents = 100_000

// MaxMessageEvents is how many received messages of one type a queue keeps; see MessagesOf
// for a server's. Messages come from peers and may hold text and slices, so the bound is tighter:
// at 60 frames per second it is 240,000 messages per second of one type.
const MaxMessageEvents = 4096

// Queue holds the events of one kind, oldest first, for any number of readers.
//
// An event stays until every system has had its turn to read it: to the end of
// the first frame after its own in which a tick ran. A reader in any stage, also
// one that runs once per tick, therefore sees it exactly once, and it does not
// matter whether the reader runs before or after the stage that raised it.
//
// A full queue drops its oldest event and counts it. A queue that nobody reads
// keeps nothing.
type Queue[E any] struct {
	buf     []E
	head    int    // buf[head:] is alive
	aged    int    // buf[head:aged] is older than the last frame's beginning
	first   uint64 // number of buf[head] since the queue began
	limit   int
	read    bool // somebody has a cursor
	dropped uint64

	replay *replayed[E] // of events that belong to a tick; nil: those of a frame
	silent bool         // a tick is computed anew
}

// replayed are the events of a tick that is computed anew. They are for those who read in
// that tick, and gone with it: whoever reads outside of ticks has had those of the first time.
type replayed[E any] struct {
	buf   []E
	first uint64 // number of buf[0] since the queue began
}

// Cursor is one reader's place in a queue. It is a value of its reader: a copy
// reads on from the same place on its own.
type Cursor[E any] struct {
	queue *Queue[E]
	next  uint64
	anew  uint64 // likewise, of what is replayed
}

// Cursor returns a reader that sees the events raised from now on.
func (q *Queue[E]) Cursor() Cursor[E] {
	q.read = true
	return Cursor[E]{queue: q, next: q.end()}
}

// Read returns the events raised since the last Read, oldest first. The slice is
// valid until the next frame begins; the caller must not change it. In a tick that is
// computed anew there is nothing to read, but what belongs to that tick.
func (c *Cursor[E]) Read() []E {
	q := c.queue
	if q.silent {
		return c.readReplay()
	}
	skip := int(max(c.next, q.first) - q.first)
	c.next = q.end()
	return q.buf[q.head+skip : len(q.buf) : len(q.buf)]
}

func (c *Cursor[E]) readReplay() []E {
	r := c.queue.replay
	if r == nil {
		return nil
	}
	skip := int(max(c.anew, r.first) - r.first)
	c.anew = r.first + uint64(len(r.buf))
	return r.buf[skip:len(r.buf):len(r.buf)]
}

// Wanted reports whether anybody reads this queue. While nobody does, Push keeps
// nothing, and whoever raises events may save the trouble.
func (q *Queue[E]) Wanted() bool { return q.read }

// Push raises an event.
func (q *Queue[E]) Push(event E) {
	switch {
	case !q.read:
	case q.silent && q.replay != nil:
		q.replay.buf = append(q.replay.buf, event)
	default:
		*q.grow() = event
		q.bound()
	}
}

// Replays says that the events belong to a tick: if it is computed anew, those of the first
// time are not read again, and those that are raised meanwhile are read by whoever runs in
// the tick, and by nobody else.
func (q *Queue[E]) Replays() {
	if q.replay == nil {
		q.replay = &replayed[E]{}
	}
}

// silence begins a tick that is computed anew, or with false ends the last one.
func (q *Queue[E]) silence(on bool) {
	q.silent = on
	if r := q.replay; r != nil {
		r.first += uint64(len(r.buf))
		clear(r.buf)
		r.buf = r.buf[:0]
	}
}

// PushNew raises an event that is built in place: build gets a zero event, and an
// error of it takes the event back. It saves a copy and an allocation where the
// event is decoded through a pointer. Nothing is built while nobody reads.
func (q *Queue[E]) PushNew(build func(event *E) error) error {
	if !q.read {
		return nil
	}
	if err := build(q.grow()); err != nil {
		q.undo()
		return err
	}
	q.bound()
	return nil
}

// Dropped returns how many events were dropped because the queue was full.
func (q *Queue[E]) Dropped() uint64 { return q.dropped }

func (q *Queue[E]) end() uint64 { return q.first + uint64(len(q.buf)-q.head) }

// grow appends a zero event and returns its place.
func (q *Queue[E]) grow() *E {
	var zero E
	q.buf = append(q.buf, zero)
	return &q.buf[len(q.buf)-1]
}

// bound drops the oldest event of a queue above its limit. Slices handed out in
// this frame still show the old events, so nothing is overwritten: the head moves
// on, and once as many are dropped as are alive, these move to a buffer of their
// own.
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

// age ends the events that every reader had its turn with. It is called at the
// beginning of a frame that follows one in which a tick ran.
func (q *Queue[E]) age() {
	gone := max(q.aged, q.head)
	q.first += uint64(gone - q.head)
	n := copy(q.buf, q.buf[gone:])
	clear(q.buf[n:])
	q.buf = q.buf[:n]
	q.head, q.aged = 0, n
}
