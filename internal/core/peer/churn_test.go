package peer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// flat is a receiver's world in slices, which does not allocate.
type flat struct {
	crowd
	free []repl.Slot
	used int
}

func (f *flat) Spawn(repl.ID) repl.Slot {
	f.used++
	if n := len(f.free); n > 0 {
		s := f.free[n-1]
		f.free = f.free[:n-1]
		return s
	}
	f.next++
	return f.next
}

func (f *flat) Member(repl.Slot, bool) {}
func (f *flat) Remove(int)             {}
func (*flat) Orphan(repl.Slot)         {}
func (f *flat) Despawn(s repl.Slot)    { f.used--; f.free = append(f.free, s) }

func (f *flat) Insert(r *bits.Reader, comp int, _ receiver.Refs) error { return f.Skip(r, comp) }
func (f *flat) Update(r *bits.Reader, comp int, _ receiver.Refs) error { return f.Skip(r, comp) }

// constant is a source of 32 bits for component 0.
type constant struct{}

func (constant) Encode(w *bits.Writer, s repl.Slot, comp int, _ *repl.RefTable) {
	if comp == 0 {
		w.Bits(uint64(s), 32)
	}
}

// Steady traffic allocates nothing, even if packets are lost and one in a hundred entities is
// replaced in every tick.
//
// Proves: R40
func TestChurnAndLossAllocateNothing(t *testing.T) {
	const entities = 1000
	world, shown := sender.NewWorld(constant{}, 2), &flat{crowd: *newCrowd()}
	server, err := peer.New(peer.Config{Registry: registry(1), World: world})
	require.NoError(t, err)
	client, err := peer.New(peer.Config{Registry: registry(1), Receiver: receiver.New(shown, 2)})
	require.NoError(t, err)
	now, tick := time.Unix(100, 0), entangle.Tick(0)
	slots := make([]repl.Slot, entities)
	for s := range slots {
		slots[s] = repl.Slot(s)
	}
	packets, oldest := 0, 0
	buf := make([]byte, 0, 2048)
	carry := func(from, to *peer.Peer) {
		require.NoError(t, from.Begin(now))
		for {
			b := from.AppendPacket(buf, tick, now)
			if len(b) == 0 {
				return
			}
			if packets++; packets%20 == 0 && tick > 20 {
				continue
			}
			require.NoError(t, to.HandlePayload(b, now))
		}
	}
	step := func() {
		now, tick = now.Add(time.Second/60), tick+1
		world.Begin(tick)
		for range entities / 100 {
			world.Despawn(slots[oldest])
			world.Spawn(slots[oldest], set.MaskOf(0, 1))
			oldest = (oldest + 1) % entities
		}
		world.Change(0, slots)
		world.Commit()
		carry(server, client)
		carry(client, server)
	}
	for range 8000 {
		step()
	}
	assert.InDelta(t, entities, shown.used, entities/2)
	// Groups are created and removed, and the list of waiting records of a group grows when records
	// wait there for the first time. Therefore the warm-up lasts until each group has lost packets.
	assert.Zero(t, alloctest.Count(200, step))
}
