package repl_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// strict is a sink that holds its caller to the rules of receiver.Sink.
type strict struct {
	t     testing.TB
	alive map[repl.Slot]bool // and whether it has been stated
	next  repl.Slot
	open  bool
	at    repl.Slot
}

var errValue = errors.New("no such value")

func (s *strict) Begin(entangle.Tick) {
	require.False(s.t, s.open)
	s.open, s.at = true, repl.NoSlot
}

func (s *strict) Spawn(id repl.ID) repl.Slot {
	require.True(s.t, s.open)
	require.Less(s.t, id.Group, repl.Handle(repl.MaxGroups))
	require.Less(s.t, int(id.Member), repl.MaxMembers)
	s.next++
	s.alive[s.next] = true
	return s.next
}

func (s *strict) Member(slot repl.Slot, _ bool) {
	require.True(s.t, s.open && s.alive[slot])
	s.at = slot
}

func (s *strict) Remove(comp int) { require.True(s.t, s.open && s.alive[s.at] && comp < 3) }

func (s *strict) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	require.True(s.t, s.open && s.alive[s.at])
	return s.value(r, comp, refs)
}

func (s *strict) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	return s.Insert(r, comp, refs)
}

// value is a byte, or a reference, or nothing.
func (s *strict) value(r *bits.Reader, comp int, refs receiver.Refs) error {
	switch comp {
	case 0:
		if r.Bits(8) == 0xff {
			return errValue
		}
	case 1:
		slot, ok := refs.At(uint32(r.Uvarint()))
		if !ok {
			return errValue
		}
		require.True(s.t, slot == repl.NoSlot || s.alive[slot])
	}
	return r.Err()
}

func (s *strict) Despawn(slot repl.Slot) {
	require.True(s.t, s.open && s.alive[slot])
	delete(s.alive, slot)
}

func (s *strict) Commit() {
	require.True(s.t, s.open)
	s.open = false
}

func (s *strict) Discard() { s.Commit() }

func (s *strict) Skip(r *bits.Reader, comp int) error {
	switch comp {
	case 0:
		r.Bits(8)
	case 1:
		r.Uvarint()
	}
	return r.Err()
}

// FuzzReceiver hands a receiver frames and messages of any bytes, one after the
// other. It does not panic, keeps to the rules of its sink, and stays below its
// limits; what it says it holds is there.
//
// Proves: Z6, Z17
func FuzzReceiver(f *testing.F) {
	for _, r := range []record{
		{kind: repl.Full, tick: 10, value: 10},
		{kind: repl.Delta, seq: 1, tick: 20, base: 10},
		{kind: repl.Update, seq: 1, tick: 30, base: 20},
		{kind: repl.Gone, seq: 2, tick: 40},
	} {
		f.Add(append([]byte{byte(len(r.frame()))}, r.frame()...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &strict{t: t, alive: map[repl.Slot]bool{}}
		r := receiver.New(s, nil, 3)
		for tick := entangle.Tick(10); len(data) > 0; tick++ {
			n := min(int(data[0]&0x7f), len(data)-1)
			frame, updates := data[1:1+n], data[0]&0x80 != 0
			data = data[1+n:]
			var err error
			if updates {
				err = r.HandleUpdates(tick, frame)
			} else {
				err = r.HandleActions(frame)
			}
			require.False(t, s.open)
			require.LessOrEqual(t, r.WaitingBytes(), receiver.MaxWaitingBytes)
			require.LessOrEqual(t, r.Len(), len(s.alive)+int(r.Stats().Actions))
			if err != nil {
				return
			}
		}
	})
}
