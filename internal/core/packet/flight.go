package packet

import "time"

// initialSlots holds a second of packets at 60 Hz; flight grows on demand.
const initialSlots = 64

// maxSlots keeps an id for twice MaxInFlight, so that PollLost can still return an id beyond
// that bound, and late acknowledgements still find their packet.
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

// slot holds when a packet was sent and, in the low bits, its state: one word, since the
// slots of many peers do not fit into the processor's cache. The packet follows from the
// slot's index.
type slot int64

func slotOf(at time.Duration, s state) slot { return slot(at)<<stateBits | slot(s) }

func (s slot) sentAt() time.Duration { return time.Duration(s >> stateBits) }

func (s slot) state() state { return state(s & (1<<stateBits - 1)) }

func (s *slot) become(to state) { *s = slotOf(s.sentAt(), to) }

// flight holds the packets that were sent and have no verdict yet. Sequences count from 1 and
// never wrap; the low 16 bits of a sequence are its id.
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

// slot returns the slot of a sequence, which may hold a later one by now (see holds).
func (f *flight) slot(seq uint64) *slot { return &f.slots[seq&uint64(len(f.slots)-1)] }

// holds reports whether a sent sequence still has its slot.
func (f *flight) holds(seq uint64) bool { return f.next-seq <= uint64(len(f.slots)) }

func (f *flight) recordSent(at time.Duration) {
	for f.keeps(*f.slot(f.next), at) {
		f.grow()
	}
	if len(f.acked) >= MaxInFlight {
		panic(unpolled)
	}
	*f.slot(f.next) = slotOf(at, inFlight)
	f.next++
}

// memory is how long a lost packet is remembered. Late acknowledgements reveal that a line has
// become slower: without them, each packet would be declared lost too early for ever.
const memory = 2 * LossMax

// keeps reports whether a slot must not be reused for another packet.
func (f *flight) keeps(s slot, at time.Duration) bool {
	state := s.state()
	return state == inFlight || state == lost && at-s.sentAt() < memory && len(f.slots) < maxSlots
}

const unpolled = "packet: too many verdicts were not polled: call TakeAcked, and PollLost until it is empty, after each HandleHeader and each tick"

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

// skipResolved advances oldest to the first sequence without a verdict.
func (f *flight) skipResolved() (waiting bool) {
	for f.oldest < f.next {
		if f.holds(f.oldest) && f.slot(f.oldest).state() == inFlight {
			return true
		}
		f.oldest++
	}
	return false
}
