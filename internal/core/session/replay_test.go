package session

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/replay"
)

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
	for range replay.Size {
		s.clientSends(p, "x")
	}
	before := len(s.received[0])
	s.toServer(p.addr, old)
	assert.Len(t, s.received[0], before)
	assert.Equal(t, uint64(1), s.server.Stats().Drops[DropReplayed])
}
