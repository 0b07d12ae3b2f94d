package plugin_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// misled is an honest client of a server that sends it arbitrary data about the clock and about
// other players' inputs.
type misled struct {
	*tyrant
	storm
	tick   entangle.Tick // the server's first tick, as it claims
	begun  time.Time
	jumps  uint64 // the jumps before this connection
	frames int    // the frames of this connection
}

func newMisled(t *testing.T, rng *rand.Rand) *misled {
	y := &misled{tyrant: newTyrantOf(t, arenaProtocol, honest(1)), storm: storm{rng: rng}, tick: 1}
	y.begun = y.now
	y.deceive()
	return y
}

// deceive begins a connection and shows the client entities with inputs, one of which it controls.
func (y *misled) deceive() {
	y.frames, y.jumps = 0, y.c.Stats().Clock.Jumps
	for group := range repl.Handle(4) {
		y.show(group)
	}
	y.tyrant.step()
	require.Equal(y.t, plugin.Connected, y.c.State(), y.c.Err())
	var all []ecs.Entity
	for q := generic.NewFilter1[thrust]().Query(y.c.world); q.Next(); {
		all = append(all, q.Entity())
	}
	require.Len(y.t, all, 4)
	y.c.world.Add(all[0], ecs.ComponentID[components.Controlled](y.c.world))
}

// show sends an entity with both inputs, a name and a spot.
func (y *misled) show(group repl.Handle) {
	y.records(10, record{repl.Record{Kind: repl.Full, Group: group, Tick: 10}, func(w *bits.Writer) {
		w.Bits(0b1000, 4)   // no predicted entities, no references and leavers; a group of one
		w.Bits(0b111100, 6) // controller, flag, glance, name, spot and thrust
		writeWhole(w, uint64(group))
		w.Bits(0, 64)
	}})
}

// lie sends a frame of a channel without message ids, in a packet with a tick.
func (y *misled) lie(ch channel.ID, tick entangle.Tick, body []byte) {
	y.tyrant.send(append(append(y.header(tick), byte(ch)|0x80), y.mutate(body)...))
}

// acts returns inputs of other players.
func (y *misled) acts() []byte {
	lanes := make([]forged, 1+y.rng.IntN(3))
	for i := range lanes {
		l := &lanes[i]
		*l = y.lane()
		for l.typ != thrustType {
			*l = y.lane()
		}
		l.of.Yours = false
		if y.seldom(2) {
			l.of = repl.Ref{ID: repl.ID{Group: repl.Handle(y.rng.IntN(6))}}
		}
	}
	var w bits.Writer
	appendLanes(&w, lanes)
	return w.Finish()
}

// times returns a response to some ping, a report of input margins, or both.
func (y *misled) times() []byte {
	var w bits.Writer
	pong := y.seldom(2)
	report := !pong || y.seldom(2)
	w.Bool(pong)
	w.Bool(report)
	if pong {
		w.Bits(y.rng.Uint64N(256), 8)
		w.Uvarint(min(y.wild(), 1024))
		w.Uvarint(min(y.wild(), 4095) + 1)
	}
	if report {
		y.report(&w)
	}
	return w.Finish()
}

// report writes margins, some of them unknown; all values are equally likely.
func (y *misled) report(w *bits.Writer) {
	width := 2 + uint(y.rng.IntN(9))
	n := 3 + y.rng.IntN(60)
	w.Varint(int64(y.rng.IntN(200) - 100))
	w.Bits(uint64(n)-1, 6)
	w.Varint(int64(y.rng.IntN(2<<10)) - 1<<10) // the least margin
	w.Bool(true)
	w.Bits(uint64(width), 4)
	w.Bits(y.rng.Uint64N(2), width)
	w.Bits(2, width)
	w.Bits(1<<width-1, width)
	for range n - 3 {
		w.Bits(y.rng.Uint64N(1<<width), width)
	}
}

// frame makes the client receive false data for one frame.
func (y *misled) frame(tick entangle.Tick) {
	for range 4 {
		y.lie(peer.Inputs, tick, y.acts())
	}
	for range 6 {
		y.lie(peer.Clock, tick, y.times())
	}
	y.tyrant.step()
	y.frames++
	y.sane()
}

// sane checks that the clock reports only possible values and does not jump all the time.
func (y *misled) sane() {
	info := y.c.Stats().Clock
	for _, v := range []float64{info.Lead, info.Target, info.Speed} {
		require.False(y.t, math.IsNaN(v) || math.IsInf(v, 0), "%+v", info)
	}
	require.InDelta(y.t, 1, info.Speed, 0.0501)
	require.LessOrEqual(y.t, info.Jumps-y.jumps, uint64(1+y.frames/15), "%+v", info)
}

// passed returns the number of ticks since the server started.
func (y *misled) passed() entangle.Tick { return entangle.Tick(y.now.Sub(y.begun) * 60 / time.Second) }

// near checks that the client's tick is one that a clock following the server's ticks can have.
func (y *misled) near(tick entangle.Tick) {
	if y.c.Stats().Clock.Synced {
		ahead := ecs.GetResource[components.Time](y.c.world).Tick.Sub(tick)
		require.LessOrEqual(y.t, ahead, int32(4*60+3))
		require.GreaterOrEqual(y.t, ahead, int32(-3))
	}
}

// A server sends its client arbitrary data about the clock and about other players' inputs. The
// client's clock follows: at most four seconds ahead of the server's ticks, whatever those are,
// with a jump now and then. The client's memory does not grow, and no reported number is NaN.
//
// Proves: Z17
func TestAServerThatLiesAboutTime(t *testing.T) {
	const seed = 9
	t.Logf("seed %d; repeat with: go test ./plugin -run TestAServerThatLiesAboutTime", seed)
	for name, ticks := range map[string]func(y *misled) entangle.Tick{
		"ticks that go on": func(y *misled) entangle.Tick { return y.tick + y.passed() },
		"ticks that leap": func(y *misled) entangle.Tick {
			if y.seldom(40) {
				y.tick += entangle.Tick(y.wild())
			}
			return y.tick + y.passed()
		},
		"any ticks": func(y *misled) entangle.Tick { return entangle.Tick(y.wild()) },
	} {
		t.Run(name, func(t *testing.T) {
			y := newMisled(t, rand.New(rand.NewPCG(seed, 10)))
			y.at = func() entangle.Tick { return ticks(y) }
			before, frames, synced := heap(), 4000, 0
			if testing.Short() {
				frames /= 10
			}
			for range frames {
				if y.c.State() != plugin.Connected {
					y.c.Disconnect()
					y.rejoin()
					y.deceive()
				}
				tick := y.at()
				y.frame(tick)
				if name == "ticks that go on" {
					y.near(tick)
				}
				if y.c.Stats().Clock.Synced {
					synced++
				}
			}
			assert.Greater(t, synced, frames/4)
			assert.Less(t, heap(), before+2<<20)
		})
	}
}
