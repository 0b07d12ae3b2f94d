package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// clocked is a client with the clock of its config and the times of its frames.
type clocked struct {
	*netsim.Peer
	now    func() time.Time
	frames []time.Duration // the times of its frames, by the simulation's clock
}

// joinClocked makes clients from configs. It makes all configs first.
func joinClocked(t *testing.T, sim *netsim.Sim, count int) (all []*clocked) {
	var configs []plugin.ClientConfig
	for range count {
		configs = append(configs, sim.ClientConfig(spotProtocol()))
	}
	all = make([]*clocked, count)
	for i := range all {
		i := count - 1 - i // in another order than the configs
		c := newClient(t, configs[i])
		all[i] = &clocked{now: configs[i].Clock}
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() {
			return func() { all[i].frames = append(all[i].frames, sim.Clock().Since()) }
		}))
		all[i].Peer = sim.AddClient(entangle.ClientID(i+1), c, c)
	}
	return all
}

// A client's clock and its frames drift by the configured amount, independent of other clients, and
// a change of the drift causes no jump.
func TestClocksDrift(t *testing.T) {
	sim := newSim(t, netsim.Config{Seed: 1, Drift: -1000})
	all := joinClocked(t, sim, 3)
	all[0].SetDrift(+50_000)
	began := all[1].now()
	sim.Run(10 * time.Second)
	assert.Equal(t, began.Add(9990*ms), all[1].now())
	assert.Equal(t, began.Add(10_500*ms), all[0].now())
	assert.InDelta(t, 10*50, len(all[2].frames), 1)
	assert.InDelta(t, 10.5*50, len(all[0].frames), 1)
	all[0].SetDrift(0)
	assert.Equal(t, began.Add(10_500*ms), all[0].now())
	sim.Run(10 * time.Second)
	assert.Equal(t, began.Add(20_500*ms), all[0].now())
	assert.Equal(t, began.Add(19_980*ms), all[1].now())
}

// A server still admits clients after a long run in which its clock drifts far, because it checks
// tokens by its own clock.
func TestAServersClockDrifts(t *testing.T) {
	sim := newSim(t, netsim.Config{Seed: 1})
	sim.SetServerDrift(-netsim.MaxDrift)
	sim.Run(10 * time.Minute)
	p := join(t, sim, 1)
	require.True(t, sim.RunUntil(time.Second, p.Connected))
	before := sim.Server().Tick()
	sim.Run(10 * time.Second)
	assert.InDelta(t, 9*50, int(sim.Server().Tick()-before), 1)
}

// A frozen app runs no frame until the freeze is over, and then continues. No other app is
// affected.
func TestFreezingStopsFrames(t *testing.T) {
	sim := newSim(t, netsim.Config{Seed: 1})
	all := joinClocked(t, sim, 2)
	sim.Run(time.Second)
	all[0].Freeze(2 * time.Second)
	at, ran := sim.Clock().Since(), len(all[0].frames)
	sim.Run(2 * time.Second)
	assert.Len(t, all[0].frames, ran)
	sim.Run(100 * ms)
	require.Greater(t, len(all[0].frames), ran)
	assert.GreaterOrEqual(t, all[0].frames[ran], at+2*time.Second)
	for i, frame := range all[1].frames[1:] {
		assert.Equal(t, 20*ms, frame-all[1].frames[i])
	}
	tick := sim.Server().Tick()
	sim.FreezeServer(time.Second)
	sim.Run(time.Second)
	assert.Equal(t, tick, sim.Server().Tick())
}

// Each app has its own frame rate.
func TestFrameRatesDiffer(t *testing.T) {
	sim := newSim(t, netsim.Config{Seed: 1})
	all := joinClocked(t, sim, 2)
	all[0].SetFrameRate(240)
	sim.SetServerFrameRate(10)
	sim.Run(5 * time.Second)
	assert.InDelta(t, 5*240, len(all[0].frames), 10)
	assert.InDelta(t, 5*50, len(all[1].frames), 2)
	assert.InDelta(t, 5*50, int(sim.Server().Tick()), 6)
}

// An invalid clock setting fails the test that makes it.
func TestInvalidClockSettingsAreRefused(t *testing.T) {
	for text, do := range map[string]func(*netsim.Sim, *netsim.Peer){
		"a drift of 100001 parts per million": func(_ *netsim.Sim, p *netsim.Peer) { p.SetDrift(netsim.MaxDrift + 1) },
		"a drift of -100001":                  func(s *netsim.Sim, _ *netsim.Peer) { s.SetServerDrift(-netsim.MaxDrift - 1) },
		"a freeze of -1s":                     func(_ *netsim.Sim, p *netsim.Peer) { p.Freeze(-time.Second) },
		"a frame rate of 0":                   func(s *netsim.Sim, _ *netsim.Peer) { s.SetServerFrameRate(0) },
	} {
		err := netsim.Try(t.Name(), func(trial *netsim.Trial) {
			sim := netsim.New(trial, netsim.Config{Seed: 1})
			serve(trial, sim, sim.ServerConfig(spotProtocol()))
			c := newClient(trial, sim.ClientConfig(spotProtocol()))
			do(sim, sim.AddClient(1, c, c))
		})
		assert.ErrorContains(t, err, text)
	}
	err := netsim.Try(t.Name(), func(trial *netsim.Trial) { netsim.New(trial, netsim.Config{Drift: 1_000_000}) })
	assert.ErrorContains(t, err, "Config.Drift is 1000000 parts per million; give -100000 to 100000")
}
