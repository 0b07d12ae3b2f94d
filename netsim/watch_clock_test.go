package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// Watch detects a clock that runs back, one that skips ticks, and one that repeats them, on both
// sides.
func TestWatchSeesWhatClocksDo(t *testing.T) {
	for name, c := range map[string]struct {
		by   int32
		more float64
		want string
	}{
		"back": {-40, 0, "went from tick"}, "on": {3, 0, "its clock made"}, "a bit": {0, 0.3, "its clock made"}, "far on": {100, 0, "went from tick"},
	} {
		for _, server := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				err := netsim.Try(t.Name(), func(trial *netsim.Trial) { meddleWithTime(trial, server, c.by, c.more) })
				assert.ErrorContains(t, err, c.want)
				assert.ErrorContains(t, err, map[bool]string{true: "the server: ", false: "client 1: "}[server])
			})
		}
	}
	require.NoError(t, netsim.Try(t.Name(), func(trial *netsim.Trial) { meddleWithTime(trial, true, 0, 0) }))
}

// meddleWithTime runs a game in which a system changes the server's or the client's clock once, by
// so many ticks.
func meddleWithTime(t *netsim.Trial, server bool, ticks int32, more float64) {
	sim := netsim.New(t, netsim.Config{Seed: 1})
	frames := 0
	meddle := plugin.Func(func(w *ecs.World) func() {
		clock := ecs.GetResource[components.Time](w)
		return func() {
			if frames++; frames == 70 {
				clock.Tick, clock.Overstep = clock.Tick+entangle.Tick(ticks), clock.Overstep+more
			}
		}
	})
	s, err := plugin.NewServer(sim.ServerConfig(spotProtocol()))
	require.NoError(t, err)
	c, err := plugin.NewClient(sim.ClientConfig(spotProtocol()))
	require.NoError(t, err)
	if server {
		s.AddSystem(plugin.AfterSend, meddle)
	} else {
		c.AddSystem(plugin.AfterSend, meddle)
	}
	sim.AddServer(s, s)
	sim.Watch()
	sim.AddClient(1, c, c)
	sim.Run(2 * time.Second)
}

// The true lead of a client is the time that its inputs take, plus a little, on symmetric and
// asymmetric lines.
func TestTheTrueLeadFollowsTheWayUp(t *testing.T) {
	for _, up := range []time.Duration{0, 60 * ms, 200 * ms} {
		for _, down := range []time.Duration{0, 150 * ms} {
			var link netsim.Link
			link.Up.Latency, link.Down.Latency = up, down
			sim := newSim(t, netsim.Config{Seed: 1, Link: link})
			p := join(t, sim, 1)
			sim.Run(5 * time.Second)
			require.True(t, p.Client().Stats().Clock.Synced)
			ticks := up.Seconds() * 50
			assert.InDelta(t, ticks+2, p.Lead(), 2, "%v up, %v down", up, down)
		}
	}
}
