package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Frame reads the frames of a peer, one at a time. The zero value is ready.
//
// For each lane that Next comes to, read its head from Bits, look at Range if the lane
// may be a new one, and then Put it into a ring or Skip it. After an error, which ends the
// connection, lanes that were put before stay.
type Frame struct {
	r      bits.Reader
	header entangle.Tick
	types  int
	shown  Shown
	sees   bool
	lanes  int
	typ    int

	ranged bool // the head of the body was read
	epoch  Epoch
	newest entangle.Tick
	count  int
	spare  []byte
}

// Open begins a frame of a client, from a packet with the given tick. types is how many
// types of input there are.
func (f *Frame) Open(body []byte, header entangle.Tick, types int) {
	f.OpenDown(body, header, types)
	f.shown, f.sees = readShown(&f.r, header)
}

// OpenDown begins a frame of a server.
func (f *Frame) OpenDown(body []byte, header entangle.Tick, types int) {
	f.header, f.types, f.lanes, f.sees, f.ranged = header, types, 0, false, false
	f.r.Reset(body)
}

// Shown returns what the player saw when it made the newest input of the frame.
func (f *Frame) Shown() (Shown, bool) { return f.shown, f.sees }

// Next goes to the next lane. It reports false at the end and after an error.
func (f *Frame) Next() bool {
	f.ranged = false
	if f.lanes > 0 && !f.r.Bool() {
		if err := f.r.End(); err != nil {
			f.r.Fail(err)
		}
		return false
	}
	f.lanes++
	typ := f.r.Uvarint()
	if f.r.Err() == nil && typ >= uint64(f.types) {
		f.r.Fail(ErrType)
	}
	f.typ = int(typ)
	return f.r.Err() == nil
}

// Type returns the number of the lane's type, less than the number of types.
func (f *Frame) Type() int { return f.typ }

// Bits returns where to read the lane's head from, before anything else of it. Fail it if
// the head is malformed.
func (f *Frame) Bits() *bits.Reader { return &f.r }

// Err returns the first error, or nil.
func (f *Frame) Err() error { return f.r.Err() }

// Range returns the oldest and the newest tick of the lane.
func (f *Frame) Range() (oldest, newest entangle.Tick) {
	if !f.ranged {
		f.readRange()
	}
	return f.newest - entangle.Tick(f.count) + 1, f.newest
}

func (f *Frame) readRange() {
	f.ranged = true
	f.epoch = Epoch(f.r.Bits(epochBits))
	distance, more := f.r.Varint(), f.r.Uvarint()
	switch {
	case f.r.Err() != nil:
	case distance < -maxDistance || distance > maxDistance:
		f.r.Fail(ErrDistance)
	case more >= MaxTicks:
		f.r.Fail(ErrTicks)
	}
	if f.r.Err() != nil {
		distance, more = 0, 0
	}
	f.newest = f.header + entangle.Tick(distance)
	f.count = int(more) + 1
}

// Skip reads over the lane: one that its sender must not drive. It is decoded, into
// memory that the Frame has for it, since nothing else tells where it ends.
func (f *Frame) Skip(codec Codec) {
	f.Range()
	f.decode(codec, nil, nil)
}

// Put reads the lane into a ring, which takes what it can, and returns what was new.
func (f *Frame) Put(lane *Reader) Brought {
	oldest, newest := f.Range()
	b := Brought{Newest: newest}
	if f.r.Err() == nil && !lane.hear(f.epoch, oldest) {
		lane.stats.Old += uint64(f.count)
		f.decode(lane.codec, nil, &b)
		return b
	}
	f.decode(lane.codec, lane, &b)
	lane.settle(oldest, newest)
	return b
}

// decode reads the ticks of a lane, the newest first. lane is nil if they go nowhere.
func (f *Frame) decode(codec Codec, lane *Reader, b *Brought) {
	if n := codec.Size(); cap(f.spare) < n {
		f.spare = make([]byte, n)
	}
	v := f.spare[:codec.Size()]
	for i := 0; i < f.count && f.r.Err() == nil; {
		k := f.readKind(codec, v)
		if k == hole && i == 0 {
			f.r.Fail(ErrHole)
		}
		run := readRun(&f.r, f.count-i)
		if lane != nil && k != hole {
			for j := range run {
				b.add(i+j, lane.put(f.newest-entangle.Tick(i+j), k, v))
			}
		}
		i += run
	}
}

func (f *Frame) readKind(codec Codec, v []byte) kind {
	if !f.r.Bool() {
		if f.r.Bool() {
			return hole
		}
		return none
	}
	if err := codec.Decode(&f.r, v); err != nil {
		f.r.Fail(err)
	}
	return value
}
