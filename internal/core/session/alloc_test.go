package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// pair returns a connected pair without the recorder, which allocates.
func pair(t testing.TB) (*Server, *Client, Addr, time.Time) {
	s := newSim(t, 1)
	server, err := NewServer(s.server.config)
	require.NoError(t, err)
	client, from := NewClient(ClientConfig{Token: s.mint(1)}), s.addr()
	require.NoError(t, client.Connect(s.now))
	for range 3 {
		for _, b, ok := client.PollDatagram(); ok; _, b, ok = client.PollDatagram() {
			server.HandleDatagram(from, b, s.now)
		}
		for _, b, ok := server.PollDatagram(); ok; _, b, ok = server.PollDatagram() {
			client.HandleDatagram(b, s.now)
		}
	}
	require.Equal(t, StateConnected, client.State())
	return server, client, from, s.now
}

func TestPayloadsAllocateNothing(t *testing.T) {
	server, client, from, now := pair(t)
	payload := make([]byte, entangle.MaxPayload)
	buffer := make([]byte, 0, entangle.MaxDatagram)
	opened := 0
	assert.Zero(t, alloctest.Count(1000, func() {
		b, _ := client.AppendPayload(buffer, payload, now)
		_, got, _ := server.HandleDatagram(from, b, now)
		opened += len(got)
		b, _ = server.AppendPayload(buffer, 0, payload, now)
		got, _ = client.HandleDatagram(b, now)
		opened += len(got)
	}))
	assert.Equal(t, 1001*2*entangle.MaxPayload, opened)
}

func TestAnIdleConnectionAllocatesNothing(t *testing.T) {
	server, client, from, now := pair(t)
	assert.Zero(t, alloctest.Count(1000, func() {
		now = now.Add(sendInterval)
		client.Advance(now)
		server.Advance(now)
		_, b, _ := client.PollDatagram()
		server.HandleDatagram(from, b, now)
		_, b, _ = server.PollDatagram()
		client.HandleDatagram(b, now)
	}))
	assert.Equal(t, StateConnected, client.State())
	assert.Equal(t, 1, server.Clients())
}

func BenchmarkSealPayload(b *testing.B) {
	server, _, _, now := pair(b)
	payload := make([]byte, entangle.MaxPayload)
	buffer := make([]byte, 0, entangle.MaxDatagram)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = server.AppendPayload(buffer, 0, payload, now)
	}
}

func BenchmarkSealAndOpenPayload(b *testing.B) {
	server, client, from, now := pair(b)
	payload := make([]byte, entangle.MaxPayload)
	buffer := make([]byte, 0, entangle.MaxDatagram)
	b.ReportAllocs()
	for b.Loop() {
		packet, _ := client.AppendPayload(buffer, payload, now)
		server.HandleDatagram(from, packet, now)
	}
}

func BenchmarkForgedRequest(b *testing.B) {
	s := newSim(b, 1)
	forged := forgedRequest(s)
	var packet [requestSize]byte
	from := s.addr()
	b.ReportAllocs()
	for b.Loop() {
		copy(packet[:], forged)
		s.server.HandleDatagram(from, packet[:], s.now)
	}
}
