package netsim_test

import (
	"fmt"
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
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

const (
	runners  = 8   // players that a client follows
	runSpeed = 0.1 // distance per tick
)

// runner is a player of a shooter, moved by the server: it runs, turns by up to a right angle at once, and stops.
type runner struct {
	heading float64
	running bool
	until   entangle.Tick
}

// step moves the player by a tick.
func (r *runner) step(rng *rand.Rand, at *smoothPlace, now entangle.Tick) {
	if r.until.Before(now) {
		r.until = now + 5 + entangle.Tick(rng.IntN(60))
		r.heading += (rng.Float64() - 0.5) * math.Pi
		r.running = !r.running || rng.IntN(3) > 0
	}
	if r.running {
		at.X += runSpeed * math.Cos(r.heading)
		at.Y += runSpeed * math.Sin(r.heading)
	}
}

// runnerHistory holds the places of the players on the server at every tick.
type runnerHistory map[entangle.Tick]*[runners]smoothPlace

// walked returns how far a player moves on the server between two times.
func (h runnerHistory) walked(n uint32, from, to float64) (way float64) {
	for at := from; at < to; {
		next := min(math.Floor(at)+1, to)
		a, b := h[entangle.Tick(at)], h[entangle.Tick(at)+1]
		way += distance(a[n], b[n]) * (next - at)
		at = next
	}
	return way
}

func distance(a, b smoothPlace) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// shownMotion counts frames of players that a client follows.
type shownMotion struct {
	frames  int
	still   int // in which the player runs on the server at the shown time, and moves by less than a quarter of that
	jumps   int // in which it moves by more than twice what a runner does
	longest int // the most frames in a row in which one player stood still
}

// In a world like that of a shooter, no player that a client follows stands still while it runs on the server, or
// jumps: with 120 ms of round trip, 15 ms of jitter and 5 % of loss, at 60 and 144 frames per second, whether
// players are sent in each tick or in every third.
//
// Proves: N1, N7, N15
func TestPlayersOfAShooterNeitherStandNorJump(t *testing.T) {
	for _, rate := range []int{60, 144} {
		for _, every := range []uint16{1, 3} {
			t.Run(fmt.Sprintf("%d frames per second, sent every %d", rate, every), func(t *testing.T) {
				m := followRunners(t, runnerGame{rate: rate, every: every, loss: 0.05})
				t.Logf("%+v", m)
				assert.Greater(t, m.frames, 50*rate)
				assert.Less(t, m.still, m.frames/1000)
				assert.LessOrEqual(t, m.longest*60, max(int(every), 2)*rate, "a player stood still for more than a send interval, or two ticks")
				assert.Zero(t, m.jumps)
			})
		}
	}
}

// Later values of a player wait for an inserted or removed component. If its packet is lost, the component is sent
// again before the loss is detected: at 10 % of loss, players seldom stand still although each gains or loses a
// component twice in a second.
//
// Proves: N7, N15
func TestPlayersWithComponentsThatComeAndGoSeldomStand(t *testing.T) {
	m := followRunners(t, runnerGame{rate: 60, every: 1, loss: 0.1, restructured: 30})
	t.Logf("%+v", m)
	assert.Less(t, m.still, m.frames/300)
	assert.LessOrEqual(t, m.longest, 6)
	assert.LessOrEqual(t, m.jumps, 4)
}

// runnerGame describes the game that followRunners plays.
type runnerGame struct {
	rate         int    // frames per second
	every        uint16 // send interval
	loss         float64
	restructured int // the mean number of ticks until a player gains or loses a component; 0: never
}

// followRunners lets a client follow players for a minute.
func followRunners(t *testing.T, game runnerGame) (m shownMotion) {
	rate, every := game.rate, game.every
	bad := conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: game.loss}
	sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(bad)})
	server, err := plugin.NewServer(sim.ServerConfig(smoothProtocol()))
	require.NoError(t, err)
	history, rng := runnerHistory{}, rand.New(rand.NewPCG(sim.Seed(), 1))
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		spawn := generic.NewMap3[smoothPlace, smoothLabel, components.Replicate](w)
		for n := range uint32(runners) {
			spawn.NewWith(&smoothPlace{}, &smoothLabel{n}, &components.Replicate{Interpolate: components.Everyone, SendEvery: every})
		}
		players, all := generic.NewFilter2[smoothPlace, smoothLabel](), [runners]runner{}
		clock := generic.NewResource[components.Time](w)
		stamps := ecs.ComponentID[smoothStamp](w)
		var changed []ecs.Entity
		return func() {
			places := &[runners]smoothPlace{}
			for q := players.Query(w); q.Next(); {
				at, label := q.Get()
				all[label.N].step(rng, at, clock.Get().Tick)
				places[label.N] = *at
				if game.restructured > 0 && rng.IntN(game.restructured) == 0 {
					changed = append(changed, q.Entity())
				}
			}
			for _, e := range changed {
				if w.Has(e, stamps) {
					w.Remove(e, stamps)
				} else {
					w.Add(e, stamps)
				}
			}
			changed = changed[:0]
			history[clock.Get().Tick] = places
		}
	}))
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(smoothProtocol()))
	require.NoError(t, err)
	counts := false
	client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		players := generic.NewFilter3[smoothPlace, smoothLabel, components.Interpolated]()
		var last [runners]smoothPlace
		var stood [runners]int
		before := 0.0
		return func() {
			tick, share := client.InterpolationTime(int(every))
			now := float64(tick) + share
			for q := players.Query(w); q.Next(); {
				at, label, _ := q.Get()
				n, moved := label.N, distance(*at, last[label.N])
				last[n] = *at
				if !counts {
					continue
				}
				m.frames++
				usual := (now - before) * runSpeed
				// The player runs around the shown time, too, as far as its samples reach.
				reach := float64(every)
				runs := history.walked(n, before-reach, now+reach) > 0.99*runSpeed*(now-before+2*reach)
				if stood[n]++; !runs || moved >= usual/4 {
					stood[n] = 0
				} else {
					m.still++
				}
				if moved > 2*runSpeed*60/float64(rate) {
					m.jumps++
				}
				m.longest = max(m.longest, stood[n])
			}
			before = now
		}
	}))
	peer := sim.AddClient(1, client, client)
	peer.SetFrameRate(rate)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(10 * time.Second) // until the timeline knows the line
	counts = true
	sim.Run(time.Minute)
	return m
}
