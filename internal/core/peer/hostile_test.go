package peer_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// forge is a peer that writes its payloads by hand.
type forge struct {
	id      uint16
	control uint16 // id of its next control message
}

// payload returns a packet of frames that all have a length.
func (f *forge) payload(frames ...[]byte) []byte {
	f.id++
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: f.id})
	for _, frame := range frames {
		b = append(b, frame...)
	}
	return b
}

func frameOf(ch byte, id uint16, body []byte) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{ch}, id)
	if len(body) < 0x80 {
		b = append(b, byte(len(body)))
	} else {
		b = append(b, byte(len(body))|0x80, byte(len(body)>>7))
	}
	return append(b, body...)
}

func (f *forge) say(body ...byte) []byte {
	f.control++
	return frameOf(byte(peer.Control), f.control-1, body)
}

func hello(hash uint64) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{1}, hash)
	return binary.LittleEndian.AppendUint64(b, 0)
}

// A peer with another protocol that then stays silent times out like a peer that never sent a hello.
func TestAPeerThatOnlyDiffersIsGivenUp(t *testing.T) {
	p := newPair(t, 1, 1)
	var f forge
	require.NoError(t, p.server.Begin(p.now))
	require.NoError(t, p.server.HandlePayload(f.payload(f.say(hello(2)...)), p.now))
	require.NoError(t, p.server.Begin(p.now.Add(9*time.Second)))
	_, ended := p.server.Ended()
	require.False(t, ended)
	require.NoError(t, p.server.Begin(p.now.Add(11*time.Second)))
	_, ended = p.server.Ended()
	assert.True(t, ended)
}

// Control messages that no peer writes end the connection, with an error that names them.
func TestControlMessagesThatNoPeerWrites(t *testing.T) {
	for name, test := range map[string]struct {
		say   []byte
		error string
	}{
		"empty":                {[]byte{}, "an empty message"},
		"unknown kind":         {[]byte{9}, "out of place: unknown kind 9, 1 bytes"},
		"kind zero":            {[]byte{0, 1}, "out of place: unknown kind 0, 2 bytes"},
		"a second hello":       {hello(1), "out of place: hello, 17 bytes"},
		"a hello cut short":    {hello(1)[:16], "out of place: hello, 16 bytes"},
		"entries out of place": {[]byte{2, 7}, "out of place: entries, 2 bytes"},
		"joining of a client":  {[]byte{3, 1, 0, 0, 0}, "out of place: joining, 5 bytes"},
		"joined of a client":   {[]byte{4}, "out of place: joined, 1 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			p, say := newPair(t, 1, 1), test.say
			var f forge
			require.NoError(t, p.server.Begin(p.now))
			require.NoError(t, p.server.HandlePayload(f.payload(f.say(hello(1)...)), p.now))
			err := p.server.HandlePayload(f.payload(f.say(say...)), p.now)
			assert.ErrorIs(t, err, peer.ErrControl)
			assert.EqualError(t, err, "peer: malformed control message: "+test.error)
		})
	}
}

// A client may send no replication, and a peer that acknowledges unsent packets is disconnected.
//
// Proves: Z9
func TestWhatAClientMayNotSend(t *testing.T) {
	p := newPair(t, 1, 1)
	var f forge
	require.NoError(t, p.server.Begin(p.now))
	require.NoError(t, p.server.HandlePayload(f.payload(f.say(hello(1)...)), p.now))
	assert.ErrorContains(t, p.server.HandlePayload(f.payload(frameOf(byte(peer.Actions), 0, []byte{1, 0, 0, 0, 0})), p.now), "replication")

	p = newPair(t, 1, 1)
	require.NoError(t, p.server.Begin(p.now))
	var err error
	for i := range uint16(packet.MaxBadAcks) {
		require.NoError(t, err)
		h := packet.Header{Kind: packet.AckOnly, Ack: 1000 + i, AckBits: 1<<32 - 1}
		err = p.server.HandlePayload(packet.AppendHeader(nil, h), p.now)
	}
	assert.ErrorIs(t, err, packet.ErrBadAcks)
}

// FuzzHandlePayload gives both ends mutated payloads of an honest end, and random ones. Nothing panics,
// and memory for unacknowledged data stays bounded.
//
// Proves: Z6
func FuzzHandlePayload(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, uint64(1))
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'b', 'y', 'e'}, uint64(2))
	var say forge
	f.Add(say.payload(say.say(hello(1)...), say.say(3, 0, 0, 0, 0)), uint64(3))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		if len(raw) > entangle.MaxPayload {
			return
		}
		p := newPair(t, 1, 1)
		for s := range repl.Slot(20) {
			p.source.values[s] = uint32(s)
		}
		p.world.Begin(1)
		for s := range repl.Slot(20) {
			p.world.Spawn(s, set.MaskOf(0))
		}
		p.world.Commit()
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 20 {
			p.now = p.now.Add(time.Second / 60)
			p.tick++
			mutate(p, p.server, p.client, rng, raw)
			mutate(p, p.client, p.server, rng, raw)
		}
	})
}

// mutate carries payloads, of which some are mutated and some are random. An end that returned an error
// is not called again.
func mutate(p *pair, from, to *peer.Peer, rng *rand.Rand, raw []byte) {
	_ = from.Begin(p.now)
	for {
		b := from.AppendPacket(nil, p.tick, p.now)
		if len(b) == 0 {
			break
		}
		if rng.IntN(2) == 0 && len(b) > packet.HeaderSize {
			b[packet.HeaderSize+rng.IntN(len(b)-packet.HeaderSize)] ^= 1 << rng.IntN(8)
		}
		if to.HandlePayload(b, p.now) != nil {
			to.Close()
		}
	}
	if rng.IntN(4) == 0 && to.HandlePayload(append([]byte(nil), raw...), p.now) != nil {
		to.Close()
	}
}
