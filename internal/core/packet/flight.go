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

	stateBits = 3
)

// slot is when a packet left, and in the low bits what became of it: one word, since the
// slots of so many peers lie far from the processor. Which packet it is follows from its
// place.
type slot int64

func slotOf(at time.Duration, s state) slot { return slot(at)<<stateBits | slot(s) }

func (s slot) at() time.Duration { return time.Duration(s >> stateBits) }

func (s slot) state() state { return state(s & (1<<stateBits - 1)) }

func (s *slot) become(to state) { *s = slotOf(s.at(), to) }

// flight is the sending side: what left and waits for a verdict. Sequences count
// from 1 and never wrap; an id is the low 16 bits of one.
type flight struct {
	slots  []slot // of the last sequences, by sequence modulo their number, a power of two
	next   uint64
	oldest uint64 // every seq below has its verdict
	acked  []uint16
}

func newFlight() flight {
	return flight{slots: make([]slot, initialSlots), next: 1, oldest: 1}
}

func (f *flight) newest() uint64 { return f.next - 1 }

// slot returns the place of a sequence, whether it is there or another has taken it.
func (f *flight) slot(seq uint64) *slot { return &f.slots[seq&uint64(len(f.slots)-1)] }

// holds reports whether a sequence that was sent still has its place.
func (f *flight) holds(seq uint64) bool { return f.next-seq <= uint64(len(f.slots)) }

func (f *flight) take(at time.Duration) {
	for f.keeps(*f.slot(f.next), at) {
		f.grow()
	}
	if len(f.acked) >= MaxInFlight {
		panic(unpolled)
	}
	*f.slot(f.next) = slotOf(at, inFlight)
	f.next++
}

// memory is how long a packet that was given up is remembered. An acknowledgement that
// comes after all is how a line that has become slower shows: without it, each packet
// would be given up too early for ever.
const memory = 2 * LossMax

// keeps reports whether a slot must not be taken for another packet.
func (f *flight) keeps(s slot, at time.Duration) bool {
	state := s.state()
	return state == inFlight || state == lost && at-s.at() < memory && len(f.slots) < maxSlots
}

const unpolled = "packet: verdicts pile up: call TakeAcked, and PollLost until it is empty, after each HandleHeader and each tick"

func (f *flight) grow() {
	if len(f.slots) >= maxSlots {
		panic(unpolled)
	}
	old := *f
	f.slots = make([]slot, 2*len(old.slots))
	for back := range min(uint64(len(old.slots)), f.newest()) {
		*f.slot(f.newest() - back) = *old.slot(f.newest() - back)
	}
}

func (f *flight) pushAcked(seq uint64) { f.acked = append(f.acked, uint16(seq)) }

func (f *flight) takeAcked() []uint16 {
	acked := f.acked
	f.acked = acked[:0]
	return acked
}

// skipResolved moves oldest to the first sequence that still waits.
func (f *flight) skipResolved() (waiting bool) {
	for f.oldest < f.next {
		if f.holds(f.oldest) && f.slot(f.oldest).state() == inFlight {
			return true
		}
		f.oldest++
	}
	return false
}
