package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Frame reads the frames of a peer, one at a time. The zero value is ready for use.
//
// For each stream that Next finds, read its head from Bits, check Range if the stream may be new,
// and then Put it into a Reader or Skip it. After an error the peer must be disconnected; streams
// that were put before the error are kept.
type Frame struct {
	r       bits.Reader
	header  entangle.Tick
	types   int
	screens screens
	streams int
	typ     int

	ranged  bool // Range was called for the current stream
	epoch   Epoch
	newest  entangle.Tick
	count   int
	scratch []byte
}

// Open begins a frame of a client, which came in a packet with tick header. types is the number of
// input types, and packets the send interval of the server.
func (f *Frame) Open(body []byte, header entangle.Tick, types, packets int) {
	f.OpenDown(body, header, types)
	f.screens.read(&f.r, header, packets)
}

// OpenDown begins a frame of a server.
func (f *Frame) OpenDown(body []byte, header entangle.Tick, types int) {
	f.header, f.types, f.streams, f.screens.n, f.screens.lates, f.ranged = header, types, 0, 0, 0, false
	f.r.Reset(body)
}

// Screens returns the number of ticks for which the frame says what was on the screen.
func (f *Frame) Screens() int { return f.screens.n }

// Next advances to the next stream. It returns false at the end of the frame and after an error.
func (f *Frame) Next() bool {
	f.ranged = false
	if f.streams > 0 && !f.r.Bool() {
		if err := f.r.End(); err != nil {
			f.r.Fail(err)
		}
		return false
	}
	f.streams++
	typ := f.r.Uvarint()
	if f.r.Err() == nil && typ >= uint64(f.types) {
		f.r.Fail(ErrType)
	}
	f.typ = int(typ)
	return f.r.Err() == nil
}

// Type returns the number of the stream's type, which is less than the number of types.
func (f *Frame) Type() int { return f.typ }

// Bits returns the reader of the stream's head. The head must be read before the rest. If it is
// malformed, call Fail on the reader.
func (f *Frame) Bits() *bits.Reader { return &f.r }

// Err returns the first error, or nil.
func (f *Frame) Err() error { return f.r.Err() }

// Range returns the oldest and the newest tick of the stream.
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

// Skip skips the stream, for example because its sender must not control the entity. It decodes the
// stream into scratch memory, because there is no other way to find its end.
func (f *Frame) Skip(codec Codec) {
	f.Range()
	f.decode(codec, nil, nil)
}

// Put reads the stream into a Reader, which ignores ticks that are not valid. It returns which
// ticks were new.
func (f *Frame) Put(stream *Reader) Received {
	oldest, newest := f.Range()
	b := Received{Newest: newest}
	if f.r.Err() == nil && !stream.beginBody(f.epoch, oldest) {
		stream.stats.Old += uint64(f.count)
		f.decode(stream.codec, nil, &b)
		return b
	}
	f.decode(stream.codec, stream, &b)
	stream.endBody(oldest, newest)
	return b
}

// decode reads the ticks of a stream, newest first. If stream is nil, it discards them.
func (f *Frame) decode(codec Codec, stream *Reader, b *Received) {
	if n := codec.Size(); cap(f.scratch) < n {
		f.scratch = make([]byte, n)
	}
	v := f.scratch[:codec.Size()]
	for i := 0; i < f.count && f.r.Err() == nil; {
		k := f.readKind(codec, v)
		if k == hole && i == 0 {
			f.r.Fail(ErrHole)
		}
		run := readRun(&f.r, f.count-i)
		if stream != nil && k != hole {
			for j := range run {
				b.countOutcome(i+j, stream.storeTick(f.newest-entangle.Tick(i+j), k, v))
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
