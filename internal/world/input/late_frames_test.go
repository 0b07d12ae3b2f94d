package input

import (
	"log/slog"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// same is a protocol that equals the peer's.
type same struct{}

func (same) Hash() uint64                    { return 1 }
func (same) AppendEntries(dst []byte) []byte { return dst }
func (same) Diff([]byte) (string, error)     { return "", nil }

// openPeer returns the server's end of an open connection, of which it is recorded what the client has received.
func openPeer(t *testing.T) *peer.Peer {
	world := sender.NewWorld(nil, 1)
	world.RecordReceived(func(repl.Slot) (rewind.Target, set.Mask) { return rewind.Target{}, set.Mask{} })
	world.Begin(1000)
	world.Commit()
	server, err := peer.New(peer.Config{Registry: same{}, Client: 1, World: world})
	require.NoError(t, err)
	client, err := peer.New(peer.Config{Registry: same{}, Receiver: receiver.New(nil, 1)})
	require.NoError(t, err)
	now := time.Unix(100, 0)
	carry := func(from, to *peer.Peer) {
		require.NoError(t, from.Begin(now))
		for b := from.AppendPacket(nil, 1000, now); len(b) > 0; b = from.AppendPacket(nil, 1000, now) {
			require.NoError(t, to.HandlePayload(b, now))
		}
	}
	for range 10 {
		now = now.Add(time.Second / 60)
		carry(server, client)
		carry(client, server)
	}
	require.NotNil(t, server.Replication())
	return server
}

// A client that claims that an update arrived when its screen was far ahead has it half a second after the newest tick
// at the latest.
//
// Proves: L2
func TestALateFrameFromTheFutureIsBounded(t *testing.T) {
	w, p := ecs.NewWorld(), triggerProtocol(t)
	collector, err := source.NewCollector(&w, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	c := NewServerInputs(&w, event.InstallHub(&w), p, collector, 1000).Received
	player := c.NewPlayer(1, timesync.NewMeter(timesync.MeterConfig{TickRate: 60}))
	player.Peer = openPeer(t)
	history, received, group := rewind.NewHistory([]snapshot.Kind{{Size: 8}}, 60, 92), player.received(), rewind.Group{}
	run := func(tick entangle.Tick) {
		history.Begin(tick, 1)
		history.MarkSent()
		rewind.MarkPresent(history, 0, []uint32{0})
		received.Sent(uint16(tick), tick)
		c.tick = tick
	}
	run(1000)
	received.Begin(group, 1000)
	received.Arrived(1000)

	stream := input.NewWriter(c.kinds[0].codec, 60, 0)
	stream.Write(1000, 0, []byte{1})
	var screens input.Screens
	future := timesync.Screen{Base: timesync.ShownAt(2000, 0), Packets: 1}
	screens.Write(1000, &future)
	screens.Late = []timesync.LateFrame{{Screen: future, Newest: 999, Later: 1}}
	var body input.Body
	var composer input.Composer
	require.True(t, body.Encode(stream, 1000, 1))
	composer.Begin(nil, entangle.MaxPayload, 1000)
	composer.Screens(&screens, 1)
	c.kinds[0].codec.appendHead(composer.Stream(0), repl.Ref{}, nil)
	require.True(t, composer.Put(&body))
	require.NoError(t, player.HandleFrame(1000, composer.Finish(), time.Unix(200, 0)))
	received.Deliver(group, 1000)

	var view rewind.View
	for tick := entangle.Tick(1001); tick <= 1040; tick++ {
		run(tick)
		view.Reset(history, received)
		n := view.Add(&rewind.Entities{Every: 1, Names: []uint64{7}, Joined: []entangle.Tick{1000}}, timesync.ShownAt(tick, 0))
		assert.Equal(t, tick > 1030, n == 1, "tick %d", tick)
	}
}
