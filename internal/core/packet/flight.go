package packet

import "time"

// initialSlots covers a second of packets at 60 Hz; flight grows on demand.
const initialSlots = 64

// maxSlots keeps an id for twice MaxInFlight, so that PollLost can still name
// what the bound pushed out, and late acknowledgements still find their packet.
const maxSlots = 2 * MaxInFlight

type state uint8

const (
	unused state = iota
	inFlight
	acked
	lost
	lostThenAcked
)

type slot struct {
	seq   uint64 // the id before it was cut to 16 bits
	at    time.Duration
	state state
}

// flight is the sending side: what left and waits for a verdict. Sequences count
// from 1 and never wrap; an id is the low 16 bits of one.
type flight struct {
	slots  []slot // by seq modulo their number, a power of two
	next   uint64
	oldest uint64 // every seq below has its verdict
	acked  []uint16
	polled int // of acked
}

func newFlight() flight {
	return flight{slots: make([]slot, initialSlots), next: 1, oldest: 1}
}

func (f *flight) newest() uint64 { return f.next - 1 }

func (f *flight) slot(seq uint64) *slot { return &f.slots[seq&uint64(len(f.slots)-1)] }

func (f *flight) take(at time.Duration) {
	for f.keeps(f.slot(f.next), at) {
		f.grow()
	}
	if len(f.acked)-f.polled >= MaxInFlight {
		panic(unpolled)
	}
	*f.slot(f.next) = slot{seq: f.next, at: at, state: inFlight}
	f.next++
}

// memory is how long a packet that was given up is remembered. An acknowledgement that
// comes after all is how a line that has become slower shows: without it, each packet
// would be given up too early for ever.
const memory = 2 * LossMax

// keeps reports whether a slot must not be taken for another packet.
func (f *flight) keeps(s *slot, at time.Duration) bool {
	return s.state == inFlight || s.state == lost && at-s.at < memory && len(f.slots) < maxSlots
}

const unpolled = "packet: verdicts pile up: call PollAcked and PollLost until both are empty, after each HandleHeader and each tick"

func (f *flight) grow() {
	if len(f.slots) >= maxSlots {
		panic(unpolled)
	}
	old := f.slots
	f.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.state != unused {
			*f.slot(s.seq) = s
		}
	}
}

func (f *flight) pushAcked(seq uint64) { f.acked = append(f.acked, uint16(seq)) }

func (f *flight) popAcked() (id uint16, ok bool) {
	if f.polled == len(f.acked) {
		f.acked, f.polled = f.acked[:0], 0
		return 0, false
	}
	id = f.acked[f.polled]
	f.polled++
	return id, true
}

// skipResolved moves oldest to the first sequence that still waits.
func (f *flight) skipResolved() (waiting bool) {
	for f.oldest < f.next {
		if s := f.slot(f.oldest); s.seq == f.oldest && s.state == inFlight {
			return true
		}
		f.oldest++
	}
	return false
}
