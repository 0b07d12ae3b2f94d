package session

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainReplay is the same rule without a bitmap: all numbers are kept.
type plainReplay struct {
	newest uint64
	seen   map[uint64]bool
}

func (p *plainReplay) take(sequence uint64) bool {
	if p.seen[sequence] || p.newest >= replayWindow && sequence <= p.newest-replayWindow {
		return false
	}
	p.seen[sequence] = true
	p.newest = max(p.newest, sequence)
	return true
}

func TestTheWindowEqualsItsPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var window replay
		twin := plainReplay{seen: map[uint64]bool{}}
		at := rapid.OneOf(rapid.Uint64Range(0, 600), rapid.Uint64Min(math.MaxUint64-600), rapid.Uint64()).Draw(t, "at")
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			sequence := at + uint64(rapid.IntRange(-400, 400).Draw(t, "distance"))
			fresh := window.fresh(sequence)
			if fresh {
				window.mark(sequence)
			}
			if want := twin.take(sequence); fresh != want {
				t.Fatalf("sequence %d: %v, want %v", sequence, fresh, want)
			}
			at = rapid.SampledFrom([]uint64{at, sequence}).Draw(t, "next")
		}
	})
}

// Proves: C4, Z5
func TestEveryPacketSentThriceArrivesOnce(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	var sent []string
	var datagrams [][]byte
	for i := range 1000 {
		payload := string(rune('a'+i%26)) + time.Duration(i).String()
		b, err := p.AppendPayload(nil, []byte(payload), s.now)
		require.NoError(t, err)
		sent = append(sent, payload)
		datagrams = append(datagrams, b)
		s.toServer(p.addr, b)
		s.toServer(p.addr, b)
	}
	for _, b := range datagrams {
		s.toServer(p.addr, b)
	}
	assert.Equal(t, sent, s.received[0])
	assert.Equal(t, uint64(2000), s.server.Stats().Drops[DropReplayed])
}

// Proves: C4, Z5
func TestAForgedSequenceMovesNoWindow(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	first, err := p.AppendPayload(nil, []byte("first"), s.now)
	require.NoError(t, err)
	forged := appendHeader(nil, kindPayload, math.MaxUint64)
	forged = append(forged, first[2:]...)
	s.toServer(p.addr, forged)
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropForged])
	s.toServer(p.addr, first)
	s.clientSends(p, "second")
	assert.Equal(t, []string{"first", "second"}, s.received[0])
}

// Proves: C4
func TestAPacketOlderThanTheWindowIsIgnored(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	old, err := p.AppendPayload(nil, []byte("old"), s.now)
	require.NoError(t, err)
	for range replayWindow {
		s.clientSends(p, "x")
	}
	before := len(s.received[0])
	s.toServer(p.addr, old)
	assert.Len(t, s.received[0], before)
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropReplayed])
}
