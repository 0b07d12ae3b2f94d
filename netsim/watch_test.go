package netsim_test

import (
	"strings"
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
func TestWatchReportsInvalidClocks(t *testing.T) {
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

// meddleWithTime runs a game in which a system changes the server's or the client's clock in one
// tick, by the given number of ticks.
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
	s := newServer(t, sim.ServerConfig(spotProtocol()))
	c := newClient(t, sim.ClientConfig(spotProtocol()))
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

// If a client's game writes into its replicas, Watch reports it.
func TestWatchReportsChangedReplicas(t *testing.T) {
	n := &notes{}
	sim := netsim.New(n, netsim.Config{})
	serve(t, sim, sim.ServerConfig(spotProtocol()))
	sim.Watch()
	p := joinWith(t, sim, 1, spotProtocol())
	e := spawnSpot(sim, Spot{1, 1})
	other := spawnSpot(sim, Spot{2, 2})
	sim.Run(time.Second)
	require.Empty(t, n.failure)
	local, _ := p.Local(e)
	spotOf(p.World(), local).X = 5
	spotOf(sim.World(), other).X = 3 // the client is checked only when it receives something
	sim.Run(100 * ms)
	assert.True(t, strings.Contains(n.failure, "netsim_test.Spot is 5,1, the server's is 1,1"), n.failure)
	n.runCleanup()
}
