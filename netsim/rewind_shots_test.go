package netsim_test

import (
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

// rewindRange is a shooting range: a target that runs past a player, at 1 unit per tick along X, and a bot that
// shoots as well.
type rewindRange struct {
	target, player, bot ecs.Entity
	predicted           ecs.Entity // by the player
	shots               []rewindShot
	teleport            entangle.Tick
}

// rewindShot is what the systems found out in one tick.
type rewindShot struct {
	tick              entangle.Tick
	player, bot       plugin.RewindHit
	playerHit, botHit bool
	views             [2]plugin.RewindView[rewindPlace]
	predicted         rewindPlace
	at                rewindPlace // of the target as the player saw it
}

// run returns the server's system. The player and the bot shoot along Y, at the place where the target is in the
// present and where the player sees it.
func (r *rewindRange) run(w *ecs.World) func() {
	place := generic.NewMap2[rewindPlace, components.Replicate](w)
	r.target = place.NewWith(&rewindPlace{}, &components.Replicate{Interpolate: components.Everyone})
	r.predicted = place.NewWith(&rewindPlace{}, &components.Replicate{Interpolate: components.Everyone, Predict: components.Everyone})
	owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
	r.player = owned.NewWith(&steer{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
	r.bot = w.NewEntity()
	clock, places, rewind := ecs.GetResource[components.Time](w), generic.NewMap1[rewindPlace](w), plugin.NewRewind[rewindPlace](w)
	shape := func(e ecs.Entity, at *rewindPlace) (plugin.Ball, bool) {
		return plugin.Ball{Center: plugin.Vec{X: at.X, Y: at.Y}, Radius: 0.25}, e == r.target
	}
	across := func(x float64) plugin.Ray { return plugin.NewRay(plugin.Vec{X: x, Y: -10}, plugin.Vec{X: x, Y: 10}) }
	return func() {
		shot := rewindShot{tick: clock.Tick}
		shot.views = [2]plugin.RewindView[rewindPlace]{rewind.View(r.player), rewind.View(r.bot)}
		if at, ok := shot.views[0].Get(r.target); ok {
			shot.at = at
			shot.player, shot.playerHit = shot.views[0].RaycastBalls(across(at.X), shape)
		}
		shot.predicted, _ = shot.views[0].Get(r.predicted)
		now := places.Get(r.target).X
		shot.bot, shot.botHit = shot.views[1].RaycastBalls(across(now), shape)
		r.shots = append(r.shots, shot)
		step := 1.0
		if clock.Tick == r.teleport {
			step = 100
			plugin.Teleport(w, r.target)
		}
		places.Get(r.target).X += step
		places.Get(r.predicted).X += step
	}
}

func newRewindRange(t *testing.T, latency, most time.Duration, teleport entangle.Tick) (*rewindRange, *plugin.Server) {
	r := &rewindRange{teleport: teleport}
	sim := netsim.New(t, netsim.Config{Seed: 1, Link: netsim.Symmetric(conditioner.Config{Latency: latency})})
	sc := sim.ServerConfig(rewindProtocol())
	sc.MaxRewind = most
	server := newServer(t, sc)
	server.AddSystem(plugin.FixedMain, plugin.Func(r.run))
	sim.AddServer(server, server)
	client := newClient(t, sim.ClientConfig(rewindProtocol()))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(3 * time.Second)
	r.shots = nil
	sim.Run(2 * time.Second)
	return r, server
}

// A player hits what it aims at, and the hit says which tick was rewound to, and by how much. A bot sees the
// present, and so does everybody of what a player predicts.
//
// Proves: L3, L5
func TestShotsHitWhatThePlayerSaw(t *testing.T) {
	r, server := newRewindRange(t, 60*ms, 0, 0)
	for _, s := range r.shots {
		require.True(t, s.playerHit && s.botHit, "tick %d", s.tick)
		assert.Equal(t, r.target, s.player.Entity)
		assert.InDelta(t, (10-0.25)/20, s.player.Share, 1e-6)
		back := s.player.Rewound
		assert.InDelta(t, float64(s.tick), float64(back.Tick)+back.Fraction+back.By, 1e-9)
		assert.True(t, back.By > 5 && back.By < 20, "%+v", back)
		assert.Equal(t, plugin.Rewound{Tick: s.tick - 1, By: 1, Present: true}, s.bot.Rewound)
		assert.InDelta(t, back.By-1, s.predicted.X-s.at.X, 0.02, "what the player predicts is of the end of the last tick")
	}
	stats := server.Stats().Rewinds
	assert.True(t, stats.Views > 100 && stats.Present > 100 && stats.Clamped == 0, "%+v", stats)
	assert.InDelta(t, stats.Views, stats.Targets, 2, "one of the two is rewound, once it has arrived")
	_, last, ok := r.shots[len(r.shots)-1].views[0].At(0)
	assert.True(t, ok)
	assert.NotZero(t, last)
}

// Nobody is compensated by more than the limit. It is counted, and the hit says so.
//
// Proves: L2, L5
func TestTheDepthOfAViewIsBounded(t *testing.T) {
	r, server := newRewindRange(t, 150*ms, 100*ms, 0)
	for _, s := range r.shots {
		require.True(t, s.playerHit)
		assert.InDelta(t, 6, s.player.Rewound.By, 1e-9, "100 ms are 6 ticks")
		assert.True(t, s.player.Rewound.Clamped)
	}
	stats := server.Stats().Rewinds
	assert.Equal(t, stats.Views, stats.Clamped)
	r, server = newRewindRange(t, 150*ms, -1, 0)
	for _, s := range r.shots {
		assert.InDelta(t, 1, s.player.Rewound.By, 1e-9)
	}
	assert.Zero(t, server.Stats().Rewinds.Views, "nobody is compensated")
	sc := netsim.New(t, netsim.Config{}).ServerConfig(rewindProtocol())
	sc.MaxRewind = 1100 * ms
	_, err := plugin.NewServer(sc)
	assert.ErrorContains(t, err, "MaxRewind")
}

// A teleport within the time that is rewound is a step: the target is at one place or at the other.
//
// Proves: L1, L3
func TestATeleportIsNeverSwept(t *testing.T) {
	plain, _ := newRewindRange(t, 60*ms, 0, 0)
	at := plain.shots[60].tick
	r, _ := newRewindRange(t, 60*ms, 0, at)
	before, after := 0, 0
	for i, s := range r.shots {
		if s.at.X-plain.shots[i].at.X > 1 {
			after++
			assert.InDelta(t, 99, s.at.X-plain.shots[i].at.X, 0.02)
		} else {
			before++
		}
	}
	assert.True(t, before > 60 && after > 30, "%d before, %d after", before, after)
}

// The player of a host sees the present.
//
// Proves: L2
func TestTheHostsPlayerIsNotRewound(t *testing.T) {
	r := &rewindRange{}
	sim := netsim.New(t, netsim.Config{Seed: 1})
	host, err := plugin.NewHost(sim.ServerConfig(rewindProtocol()), 1)
	require.NoError(t, err)
	host.AddSystem(plugin.FixedMain, plugin.Func(r.run))
	sim.AddHost(host, host)
	sim.Run(time.Second)
	for _, s := range r.shots[1:] {
		require.True(t, s.playerHit)
		assert.True(t, s.player.Rewound.Present)
	}
	assert.Zero(t, host.Stats().Rewinds.Views)
}
