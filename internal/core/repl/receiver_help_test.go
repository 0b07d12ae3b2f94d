package repl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// scripted is a receiver that a test hands records one by one, written by hand. Its
// world has one component, number 0, of 32 bits.
type scripted struct {
	t    testing.TB
	sink *copySink
	copy *receiver.Receiver
}

func newScripted(t testing.TB) *scripted {
	s := &scripted{t: t, sink: newCopySink(1)}
	s.copy = receiver.New(s.sink, nil, 1)
	return s
}

// record is one record of a group of one and the value that it brings.
type record struct {
	kind       repl.Kind
	group      repl.Handle
	seq        repl.Seq
	tick, base entangle.Tick
	value      uint32
	refs       []repl.Ref
}

// frame writes one record as a frame of its own.
func (r record) frame() []byte {
	var w bits.Writer
	heads := repl.Heads{Tick: r.tick, Updates: r.kind == repl.Update}
	if !heads.Updates {
		w.Bits(uint64(r.tick), 32)
	}
	heads.Append(&w, &repl.Record{Kind: r.kind, Group: r.group, Seq: r.seq, Tick: r.tick, Base: r.base})
	if r.kind.HasBody() {
		w.Bool(len(r.refs) > 0)
		if len(r.refs) > 0 {
			w.Uvarint(uint64(len(r.refs)))
			for _, ref := range r.refs {
				repl.AppendRef(&w, ref)
			}
		}
		w.Bool(true) // a group of one
		if r.kind == repl.Delta {
			w.Bool(false) // nothing went
		}
		w.Bits(1, 1) // component 0
		w.Bits(uint64(r.value), 32)
	}
	heads.End(&w)
	return w.Finish()
}

func (s *scripted) try(r record) error {
	if r.kind == repl.Update {
		return s.copy.HandleUpdates(r.tick, r.frame())
	}
	return s.copy.HandleActions(r.frame())
}

func (s *scripted) get(r record) {
	s.t.Helper()
	require.NoError(s.t, s.try(r))
}

func (s *scripted) full(seq repl.Seq, tick entangle.Tick) {
	s.t.Helper()
	s.get(record{kind: repl.Full, seq: seq, tick: tick, value: uint32(tick)})
}

func (s *scripted) delta(seq repl.Seq, tick, base entangle.Tick) {
	s.t.Helper()
	s.get(record{kind: repl.Delta, seq: seq, tick: tick, base: base, value: uint32(tick)})
}

func (s *scripted) update(seq repl.Seq, tick, base entangle.Tick) {
	s.t.Helper()
	s.get(record{kind: repl.Update, seq: seq, tick: tick, base: base, value: uint32(tick)})
}

func (s *scripted) gone(seq repl.Seq, tick entangle.Tick) {
	s.t.Helper()
	s.get(record{kind: repl.Gone, seq: seq, tick: tick})
}

// shows asserts what the copy has of group 0: the value, which these tests choose
// to be the tick; 0 for nothing.
func (s *scripted) shows(want entangle.Tick) {
	s.t.Helper()
	if want == 0 {
		require.Empty(s.t, s.sink.entities)
		return
	}
	require.Len(s.t, s.sink.entities, 1)
	for _, e := range s.sink.entities {
		require.EqualValues(s.t, want, e.values[0])
		require.Equal(s.t, want, e.tick)
	}
	held, ok := s.copy.Held(0)
	require.True(s.t, ok)
	require.Equal(s.t, want, held)
}

// asks returns the groups that are asked for, each once.
func (s *scripted) asks() (asked []repl.Handle) {
	for h, ok := s.copy.PollResync(); ok; h, ok = s.copy.PollResync() {
		asked = append(asked, h)
	}
	return asked
}
