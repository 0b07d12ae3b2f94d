package sink

import (
	"log/slog"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Codes are learned from continuing strides and paces.
type (
	lessonStride struct {
		X, Y float32 `net:"range=-1000..1000,step=0.01"`
	}
	lessonPace struct {
		Steps float32 `net:"range=0..1000000,step=1"`
	}
)

// lessonGame is a world that one peer receives in full and acknowledges each tick at once.
type lessonGame struct {
	t         testing.TB
	world     *ecs.World
	stride    ecs.ID
	pace      ecs.ID
	all       []ecs.Entity
	collector *source.Collector
	peer      *sender.Peer
	applier   *Applier
	receiver  *receiver.Receiver
	tick      entangle.Tick
	packet    uint16
	buf       []byte
}

func newLessonGame(t testing.TB, entities int) *lessonGame {
	p := protocol.New(protocol.Config{Name: "learned codes"})
	protocol.Component[lessonStride](p).Delta().Motion().Adaptive()
	protocol.Component[lessonPace](p).Delta().Adaptive()
	require.NoError(t, p.Err())
	ours, theirs, nobody := ecs.NewWorld(), ecs.NewWorld(), func(ecs.Entity) {}
	g := &lessonGame{
		t: t, world: &ours, stride: ecs.ComponentID[lessonStride](&ours), pace: ecs.ComponentID[lessonPace](&ours),
		applier: NewApplier(&theirs, event.NewHub(), registry.Of(p).Components, nobody, nobody),
	}
	g.receiver = receiver.New(g.applier, nil, len(registry.Of(p).Components))
	var err error
	g.collector, err = source.NewCollector(&ours, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	g.peer = g.collector.World().NewPeer()
	for range entities {
		g.all = append(g.all, ours.NewEntity(ecs.ComponentID[components.Replicate](&ours), g.stride, g.pace))
	}
	return g
}

// step moves all entities and sends the tick to the peer.
func (g *lessonGame) step() {
	g.tick++
	for i, e := range g.all {
		at := (*lessonStride)(g.world.Get(e, g.stride))
		at.X += 0.5 + float32((int(g.tick)*7+i)%3)*0.01
		if at.X > 900 {
			at.X = -900
		}
		(*lessonPace)(g.world.Get(e, g.pace)).Steps += 40
	}
	require.NoError(g.t, g.collector.Observe(g.tick))
	for b := g.peer.AppendActions(g.buf[:0], repl.MaxGroupBytes); len(b) > 0; b = g.peer.AppendActions(b[:0], repl.MaxGroupBytes) {
		g.packet++
		g.peer.ActionsSent(g.packet)
		require.NoError(g.t, g.receiver.HandleActions(b))
		g.peer.HandleDelivered(g.packet)
		g.buf = b
	}
	for b := g.peer.AppendUpdates(g.buf[:0], repl.MaxUpdateBytes, g.packet+1); len(b) > 0; b = g.peer.AppendUpdates(b[:0], repl.MaxUpdateBytes, g.packet+1) {
		g.packet++
		if err := g.receiver.HandleUpdates(g.tick, b); err != nil {
			g.t.Fatal(err)
		}
		g.peer.HandleAcked(g.packet)
		g.buf = b
	}
}

// Learned codes are in use, and a tick in which no codes are learned allocates nothing on either
// side.
//
// Proves: R40
func TestLearningAllocatesNothingInATick(t *testing.T) {
	g := newLessonGame(t, 100)
	for range source.FirstVersionTicks + source.VersionTicks + 100 {
		g.step()
	}
	for _, of := range g.collector.Learned.Comps {
		assert.NotNil(t, g.collector.Learned.Codes[of.Sampler.Comp])
	}
	require.Greater(t, g.collector.Learned.Next-g.tick, entangle.Tick(20), "nothing is derived meanwhile")
	assert.Zero(t, alloctest.Count(15, g.step))
}

// Without a peer, no codes are learned.
func TestNobodyLearnsAlone(t *testing.T) {
	g := newLessonGame(t, 10)
	g.peer.Close()
	for g.tick < 2*source.FirstVersionTicks {
		g.tick++
		require.NoError(t, g.collector.Observe(g.tick))
	}
	assert.False(t, g.collector.Learned.Begun)
}

// Tables that no server writes change nothing, and are refused.
//
// Proves: R30
func TestTablesOfCodesThatAreMalformedAreRefused(t *testing.T) {
	g := newLessonGame(t, 100)
	for range source.FirstVersionTicks + 50 {
		g.step()
	}
	l := &g.collector.Learned
	codes := l.Codes[l.Comps[0].Sampler.Comp]
	require.NotNil(t, codes)
	table := func(write func(w *bits.Writer)) []byte {
		var w bits.Writer
		write(&w)
		return w.Finish()
	}
	good := table(func(w *bits.Writer) { source.AppendCodes(w, codes, nil); w.Bool(false) })
	require.NoError(t, g.applier.Learn(good, 1, 0))
	before := g.applier.diffs.codes.at[1]
	require.NoError(t, g.applier.Learn(table(func(w *bits.Writer) { appendHalves(w, 32); appendHalves(w, 32) }), 2, 0))
	for name, bad := range map[string][]byte{
		"empty":    {},
		"cut":      good[:len(good)-1],
		"trailing": append(append([]byte(nil), good...), 0),
		"too many": table(func(w *bits.Writer) { appendHalves(w, 32); appendHalves(w, 33) }),
		"no codes": table(func(w *bits.Writer) { w.Bool(true); w.Bits(0, 7); w.Bool(false) }),
	} {
		assert.Error(t, g.applier.Learn(bad, 1, 0), name)
		assert.Equal(t, before, g.applier.diffs.codes.at[1], name)
	}
}

// appendHalves writes the codes of a component with a number of contexts. Each context has one bit
// for class 0 and one for all others.
func appendHalves(w *bits.Writer, contexts int) {
	w.Bool(true)
	w.Bits(uint64(contexts), 7)
	for i := range contexts {
		w.Uvarint(uint64(min(i, 1))) // the contexts in between expect a sign
		w.Bool(true)
		w.Bits(0, 3+9+3)
	}
}
