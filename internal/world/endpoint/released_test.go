package endpoint

import (
	"log/slog"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// muteLayer is a layer without a network. The test creates its clients.
type muteLayer struct{ connection.Server }

type keptBody struct{ N uint32 }

// A server keeps nothing of a disconnected client, even while no other client connects: its queues
// can hold a mebibyte.
func TestNothingIsKeptOfAClientThatIsGone(t *testing.T) {
	const clients = 3
	p := protocol.New(protocol.Config{Name: "released"})
	protocol.Component[keptBody](p)
	require.NoError(t, p.Err())
	w, log := ecs.NewWorld(), slog.New(slog.DiscardHandler)
	collector, err := source.NewCollector(&w, registry.Of(p).Components, log)
	require.NoError(t, err)
	s := NewServer(ServerConfig{
		Registry: message.NewRegistry(p, true), Channels: message.Channels(p, true), Post: message.NewPost(p, true), Log: log, TickRate: 60, SendEvery: 1, Caps: Caps{TickRate: 60},
		OnDisconnected: func(entangle.ClientID, error) {},
	})
	s.Publish(collector)
	s.Start([]connection.Server{muteLayer{}}, clients)
	var kept [clients]weak.Pointer[client]
	for i := range clients {
		c := s.newClient(s.layers[0], &connection.Event{Kind: connection.Connected, Slot: i, Client: entangle.ClientID(i + 1)})
		s.admit(c, time.Time{})
		c.open, s.open = true, append(s.open, c)
		collector.Admit(c.id, c.replication())
		kept[i] = weak.Make(c)
	}
	for _, i := range []int{1, 0, 2} { // in the middle, at the front, and the last one
		s.disconnected(s.clients[i], ErrLeft)
		runtime.GC()
		assert.Nil(t, kept[i].Value(), "client %d", i+1)
	}
}
