package repl_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// newCodedStream returns a stream with learned codes for its differences.
func newCodedStream(t *testing.T, entities int) *stream {
	return newStreamOf(t, entities, (*network).code)
}

// sayAll is like say, for records that take several packets, numbered from pkt on. It returns the
// places of the codes with which the groups are written, and the tables.
func (s *stream) sayAll(pkt uint16, room int, slots ...repl.Slot) (codes []uint8, tables []repl.Table, frames [][]byte) {
	s.t.Helper()
	s.move(slots...)
	for ; ; pkt++ {
		b := s.e.peer.AppendUpdates(nil, room, pkt)
		if len(b) == 0 {
			return codes, tables, frames
		}
		require.LessOrEqual(s.t, len(b), room)
		p := newParser(s.t, s.model)
		all, _ := p.updates(s.network.tick, b)
		for _, says := range all {
			codes = append(codes, says.Codes)
		}
		tables, frames = append(tables, p.tables...), append(frames, b)
	}
}

func (s *stream) hear(frames ...[]byte) {
	for _, b := range frames {
		require.NoError(s.t, s.e.copy.HandleUpdates(s.network.tick, b))
	}
}

// A version of codes is sent once, and again if its packet is lost. It is used once the sender
// knows that it has arrived, and not before. The next version is encoded relative to it.
//
// Proves: R30
func TestCodesAreInUseOnceTheyAreAcknowledged(t *testing.T) {
	s := newCodedStream(t, 1)
	s.learnNow()
	codes, tables, _ := s.sayAll(1, 1000, 0)
	assert.Equal(t, []uint8{0}, codes)
	require.Equal(t, []repl.Table{{Version: 1, Bytes: 4}}, tables)
	codes, tables, frames := s.sayAll(2, 1000, 0)
	assert.Equal(t, []uint8{0}, codes)
	assert.Empty(t, tables, "it is under way")
	s.hear(frames...)
	s.e.peer.HandleAcked(2)
	s.e.peer.HandleLost(1)
	codes, tables, frames = s.sayAll(3, 1000, 0)
	assert.Equal(t, []uint8{0}, codes)
	assert.Len(t, tables, 1, "it is told again")
	s.hear(frames...)
	s.e.peer.HandleAcked(3)
	codes, tables, frames = s.sayAll(4, 1000, 0)
	assert.Equal(t, []uint8{repl.CodesAt(1)}, codes)
	assert.Empty(t, tables)
	s.hear(frames...)
	s.e.peer.HandleAcked(4)

	s.network.tick += repl.HistoryTicks
	s.sayAll(5, 1000)
	s.learnNow()
	codes, tables, frames = s.sayAll(6, 1000, 0)
	assert.Equal(t, []uint8{0}, codes)
	assert.Equal(t, []repl.Table{{Version: 2, Over: true, Bytes: 4}}, tables)
	s.hear(frames...)
	s.hear(frames...)
	s.e.peer.HandleAcked(6)
	codes, _, frames = s.sayAll(7, 1000, 0)
	assert.Equal(t, []uint8{repl.CodesAt(2)}, codes)
	s.hear(frames...)
	assert.Equal(t, s.model.entities[0].values[4], s.shown()[0])
}

// A table that does not fit behind the records is sent in a packet of its own. If nothing else is
// sent, it is not sent either.
func TestATableTakesNoRoomFromRecords(t *testing.T) {
	s := newCodedStream(t, 8)
	s.learnNow()
	_, tables, _ := s.sayAll(1, 1000)
	assert.Empty(t, tables, "there is nothing to be written with it")
	_, _, frames := s.sayAll(2, 1000, 0, 1, 2)
	require.Len(t, frames, 1)
	s.e.peer.HandleLost(2)
	full := len(frames[0]) - 4 - 3 // without the table and its head
	_, tables, frames = s.sayAll(3, full+1, 0, 1, 2)
	assert.Len(t, tables, 1)
	assert.Len(t, frames, 2)
	s.hear(frames...)
	s.e.peer.HandleAcked(3, 4)
	codes, _, frames := s.sayAll(5, 1000, 0, 1, 2)
	assert.Equal(t, []uint8{2, 2, 2}, codes)
	s.hear(frames...)
}

// Under a limit the bytes of a table count, and a table that the limit does not allow waits.
func TestATableCountsUnderALimit(t *testing.T) {
	s := newCodedStream(t, 40)
	s.e.peer.Meter(true)
	all := make([]repl.Slot, 40)
	for i := range all {
		all[i] = repl.Slot(i)
	}
	s.learnNow()
	for limit := range 400 {
		s.move(all...)
		s.e.peer.Prepare()
		wanted := s.e.peer.WantedBytes()
		s.e.peer.Limit(limit)
		n, records := 0, 0
		for pkt := uint16(1); ; pkt++ {
			b := s.e.peer.AppendUpdates(nil, 200, pkt)
			if len(b) == 0 {
				break
			}
			p := newParser(t, s.model)
			says, _ := p.updates(s.network.tick, b)
			if n, records = n+len(b), records+len(says); len(p.tables) > 0 {
				s.e.peer.HandleLost(pkt)
			}
		}
		assert.LessOrEqual(t, n, wanted)
		assert.True(t, n <= limit || records == 1 && limit > 0, "%d bytes and %d records under a limit of %d", n, records, limit)
	}
}

// A receiver drops records with codes at a place that newer codes have taken, and continues.
//
// Proves: R30
func TestAFrameOfForgottenCodesIsDropped(t *testing.T) {
	s := newCodedStream(t, 1)
	late, at := []byte(nil), entangle.Tick(0)
	for version := range uint16(4) {
		s.network.tick += repl.HistoryTicks
		s.move()
		s.learnNow()
		_, tables, frames := s.sayAll(10*version, 1000, 0)
		require.Len(t, tables, 1)
		s.hear(frames...)
		s.e.peer.HandleAcked(10 * version)
		codes, _, frames := s.sayAll(10*version+1, 1000, 0)
		require.NotZero(t, codes[0])
		if version == 0 {
			late, at = frames[0], s.network.tick
			require.NoError(t, s.e.copy.HandleUpdates(at, late))
		}
		s.hear(frames...)
		s.e.peer.HandleAcked(10*version + 1)
	}
	before := s.shown()
	require.NoError(t, s.e.copy.HandleUpdates(at, late))
	assert.EqualValues(t, 1, s.e.copy.Stats().Uncoded)
	assert.Equal(t, before, s.shown())
	_, _, frames := s.sayAll(90, 1000, 0)
	s.hear(frames...)
	assert.Equal(t, s.model.entities[0].values[4], s.shown()[0])
}

// New codes must not be made so often that a difference could start from a value that was written
// with forgotten codes.
func TestCodesDoNotFollowEachOtherTooFast(t *testing.T) {
	s := newCodedStream(t, 1)
	s.learnNow()
	s.network.tick += repl.HistoryTicks - 2
	s.move()
	assert.Panics(t, s.learnNow)
	s.move()
	assert.NotPanics(t, s.learnNow)
}

// Proves: R30
func TestMalformedTablesOfCodesAreRefused(t *testing.T) {
	table := func(head repl.Table, body []byte) []byte {
		var w bits.Writer
		head.Append(&w)
		w.Raw(body)
		return w.Finish()
	}
	four := []byte{1, 2, 3, 4}
	good := table(repl.Table{Version: 7, Bytes: 4}, four)
	for name, frame := range map[string][]byte{
		"version 0":        table(repl.Table{Bytes: 4}, four),
		"over none":        table(repl.Table{Version: 1, Over: true, Bytes: 4}, four),
		"cut":              good[:len(good)-1],
		"empty":            table(repl.Table{Version: 1}, nil),
		"too long":         table(repl.Table{Version: 1, Bytes: repl.MaxTableBytes + 1}, make([]byte, repl.MaxTableBytes+1)),
		"what it says":     table(repl.Table{Version: 1, Bytes: 5}, []byte{1, 2, 3, 4, 5}),
		"over another one": append(append([]byte(nil), good...), table(repl.Table{Version: 9, Over: true, Bytes: 4}, four)...),
	} {
		s := newCodedStream(t, 1)
		assert.Error(t, s.e.copy.HandleUpdates(s.network.tick, frame), name)
	}
	s := newCodedStream(t, 1)
	require.NoError(t, s.e.copy.HandleUpdates(s.network.tick, good))
	assert.Error(t, newStream(t, 1).e.copy.HandleUpdates(s.network.tick, good), "no component learns")

	s = newCodedStream(t, 1)
	s.learnNow()
	s.sayAll(1, 1000, 0)
	s.e.peer.HandleAcked(1)
	_, _, frames := s.sayAll(2, 1000, 0)
	assert.ErrorIs(t, s.e.copy.HandleUpdates(s.network.tick, frames[0]), receiver.ErrMalformed, "a place that nothing was told of")
}

// The heads of tables are read as they were written, and fit into the bytes that are reserved for
// them.
func TestHeadsOfTablesHaveOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := repl.Table{
			Version: rapid.Uint32Min(1).Draw(t, "version"), Over: rapid.Bool().Draw(t, "over"),
			Bytes: rapid.IntRange(1, repl.MaxTableBytes).Draw(t, "bytes"),
		}
		var w bits.Writer
		want.Append(&w)
		require.LessOrEqual(t, w.LenBits(), repl.MaxTableHead*8)
		require.Zero(t, w.LenBits()%8)
		w.Raw(make([]byte, want.Bytes))
		var r bits.Reader
		r.Reset(w.Finish())
		require.True(t, r.Bool())
		require.True(t, repl.IsTable(r.Uvarint()))
		var got repl.Table
		require.True(t, got.Read(&r))
		require.Equal(t, want, got)
		require.Equal(t, want.Bytes*8, r.RemainingBits())
	})
}

// Codes are sent to all peers, and learned only from values that every peer could see during the
// whole span of a difference: not from a private group, nor from a value of a time when its entity
// was in one, was paused, or did not exist. They are learned from values that have changed.
func TestCodesAreLearnedFromWhatAllSee(t *testing.T) {
	h := newHandles()
	var of sender.Sampler
	of.Comp = 1
	bring := func(s repl.Slot, at sender.Place, comps ...int) {
		h.model.entities[s] = entity{mask: set.MaskOf(comps...)}
		h.SpawnAt(s, set.MaskOf(comps...), at)
	}
	h.step(1, func() {
		bring(0, sender.Place{}, 1)
		bring(1, sender.Place{Private: true}, 1)
		bring(2, sender.Place{Private: true}, 1)
		bring(3, sender.Place{}, 1)
		bring(4, sender.Place{}, 0)
		bring(5, sender.Place{}, 0, 1)
	})
	h.step(9, func() {
		h.Move(2, sender.Place{})
		h.Pause(3)
		h.Reshape(4, set.MaskOf(1), set.Mask{})
		h.Change(1, []repl.Slot{5})
	})
	opened := h.tick
	h.step(10, func() {
		h.Change(1, []repl.Slot{0, 1, 2, 3, 4})
		h.Change(0, []repl.Slot{5})
	})
	sampled := func(base, older entangle.Tick) (slots []repl.Slot) {
		for _, s := range of.Next(nil, h.World, 100, base, older) {
			slots = append(slots, s.Slot)
		}
		slices.Sort(slots)
		return slots
	}
	assert.Equal(t, []repl.Slot{0}, sampled(opened, opened-1))
	assert.Equal(t, []repl.Slot{0, 2, 4}, sampled(opened, opened))
}
