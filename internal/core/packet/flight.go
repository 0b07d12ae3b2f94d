package packet

import "time"

// initialSlots is enough for a second of packets at 60 Hz. The slots of a flight grow on demand.
const initialSlots = 64

// maxSlots is twice MaxInFlight, so that PollLost can still return an id that is older than that
// bound, and a late acknowledgement still finds its packet.
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

// slot holds the time at which a packet was sent and, in its low bits, the packet's state. Both
// share one word, because the slots of many peers do not fit into the processor's cache. The index
// of the slot tells which packet it is.
type slot int64

func slotOf(at time.Duration, s state) slot { return slot(at)<<stateBits | slot(s) }

func (s slot) sentAt() time.Duration { return time.Duration(s >> stateBits) }

func (s slot) state() state { return state(s & (1<<stateBits - 1)) }

func (s *slot) become(to state) { *s = slotOf(s.sentAt(), to) }

// flight holds the packets that were sent, until their verdict. It numbers them by sequences, which
// count from 1 and never wrap; the low 16 bits of a sequence are the packet's id.
type flight struct {
	slots  []slot   // sequence n is at n modulo the number of slots, which is a power of two
	next   uint64   // sequence of the next packet
	oldest uint64   // every lower sequence has a verdict
	acked  []uint16 // ids for TakeAcked
}

func newFlight() flight {
	return flight{slots: make([]slot, initialSlots), next: 1, oldest: 1}
}

func (f *flight) newest() uint64 { return f.next - 1 }

// slot returns the slot of a sequence. If holds(seq) is false, a later sequence has that slot now.
func (f *flight) slot(seq uint64) *slot { return &f.slots[seq&uint64(len(f.slots)-1)] }

// holds reports whether the slot of a sent sequence still belongs to it.
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

// memory is how long a lost packet is kept. A late acknowledgement of it is a sample of the round
// trip that shows that a connection has become slower. Without such samples, each packet would be
// declared lost too early for ever.
const memory = 2 * LossMax

// keeps reports whether a slot must be kept, so that no other packet may use it.
func (f *flight) keeps(s slot, at time.Duration) bool {
	state := s.state()
	return state == inFlight || state == lost && at-s.sentAt() < memory && len(f.slots) < maxSlots
}

const unpolled = "packet: too many verdicts were not polled: call TakeAcked after each HandleHeader, and PollLost until it is empty in each tick"

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
