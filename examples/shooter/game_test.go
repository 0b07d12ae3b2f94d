package main

import (
	"flag"
	"math"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/plugin"
)

var seed = flag.Uint64("seed", 1, "where chance starts")

// asked returns the settings of a run without a terminal, with the given flags.
func asked(t *testing.T, args ...string) settings {
	t.Helper()
	s, err := example.Read(append([]string{"-headless"}, args...), t.Output())
	require.NoError(t, err)
	return s
}

// played plays to the end and returns the result.
func played(t *testing.T, s settings) result {
	t.Helper()
	s.Seed = *seed
	t.Logf("again: go test ./shooter -run %s -seed %d", t.Name(), s.Seed)
	r, err := playHeadless(t.Context(), s, t.Output())
	require.NoError(t, err)
	return r
}

// lines are the conditions that the example is meant for: 120 ms of round trip, with and without loss.
var lines = map[string][]string{
	"good":                  {"-clients", "2"},
	"loses 5 %":             {"-clients", "4", "-loss", "0.05"},
	"loses 5 % and jitters": {"-clients", "3", "-loss", "0.05", "-jitter", "10ms"},
	"loses 10 %":            {"-clients", "4", "-loss", "0.1", "-jitter", "20ms"},
}

// What a player aims at on its screen is what it hits. Without lag compensation many of the same shots miss.
//
// Proves: X5
func TestWhatAPlayerAimsAtIsWhatItHits(t *testing.T) {
	for name, args := range lines {
		t.Run(name, func(t *testing.T) {
			r := played(t, asked(t, append(args, "-seconds", "30")...))
			require.NoError(t, r.Verdict())
			var all shotCounts
			for _, c := range r.Clients {
				assert.Greater(t, c.Aimed, 40)
				assert.Equal(t, c.OnScreen, c.Hit)
				all.Aimed, all.Present = all.Aimed+c.Aimed, all.Present+c.Present
			}
			assert.Less(t, all.share(all.Present), 80.0, "shots hit without lag compensation as well")
		})
	}
}

// On a good line no bullet causes a rollback. On no line a bullet is shown twice, or comes back.
//
// Proves: X5
func TestABulletIsShownOnce(t *testing.T) {
	for name, args := range lines {
		t.Run(name, func(t *testing.T) {
			for _, c := range played(t, asked(t, args...)).Clients {
				assert.Greater(t, c.Bullets, 60, "its own, and those of others")
				assert.Zero(t, c.Twice+c.Back)
				if name == "good" {
					assert.Zero(t, c.Rollbacks, "%v", c.Why)
					assert.Zero(t, c.Unmatched)
				}
			}
		})
	}
}

// Without lag compensation the run fails, so that the verdict means something.
func TestWithoutCompensationTheClaimFails(t *testing.T) {
	r := played(t, asked(t, "-compensate=false"))
	assert.ErrorContains(t, r.Verdict(), "hit what they were aimed at")
	for _, c := range r.Clients {
		assert.Equal(t, c.Present, c.Hit)
		assert.Equal(t, c.Aimed, c.OnScreen, "what it would have been")
	}
}

// The same seed gives the same run.
func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	s := asked(t, "-seconds", "3", "-loss", "0.1")
	first := played(t, s)
	assert.Equal(t, first, played(t, s))
	s.Seed = *seed + 1
	other, err := playHeadless(t.Context(), s, t.Output())
	require.NoError(t, err)
	assert.NotEqual(t, first.Clients, other.Clients)
}

func TestEachClaimCanFail(t *testing.T) {
	good := clientResult{shotCounts: shotCounts{Aimed: 100, Hit: 98}}
	require.NoError(t, good.check(true))
	for says, change := range map[string]func(c *clientResult){
		"no shot was aimed at anybody":                      func(c *clientResult) { c.shotCounts = shotCounts{} },
		"of 100 shots, only 97 hit what they were aimed at": func(c *clientResult) { c.Hit = 97 },
		"of 103 shots, only 98 hit what they were aimed at": func(c *clientResult) { c.Lost = 3 },
		"1 bullets were shown twice, and 0 came back":       func(c *clientResult) { c.Twice = 1 },
		"0 bullets were shown twice, and 1 came back":       func(c *clientResult) { c.Back = 1 },
		"bullets have caused 1 rollbacks on a good line":    func(c *clientResult) { c.ByBullets = 1 },
	} {
		c := good
		change(&c)
		assert.ErrorContains(t, c.check(true), says)
	}
	good.ByBullets = 1
	assert.NoError(t, good.check(false), "a lost input makes a rollback")
	r := result{Mode: "all", Loss: 0.05, Clients: []clientResult{good, {}}}
	assert.ErrorContains(t, r.Verdict(), "player 2: ")
}

// A watch finds what a screen should not show.
func TestAWatchFindsBulletsThatAreTwiceAndThatComeBack(t *testing.T) {
	w := ecs.NewWorld()
	one, two, three := w.NewEntity(), w.NewEntity(), w.NewEntity()
	first, second := bulletID{1, 10}, bulletID{2, 10}
	watch := bulletWatch{shown: map[bulletID]*showing{}}
	for _, frame := range [][]shownBullet{
		{{id: first, entity: one}},
		{{id: first, entity: one}, {id: second, entity: two}},
		{{id: first, entity: three}}, // the server's entity in place of the client's, at the same time
		{{id: first, entity: three}, {id: first, entity: one}},
		{{id: first, entity: three}, {id: first, entity: one}},
		{{id: second, entity: two}},
	} {
		watch.addFrame(frame)
	}
	assert.Equal(t, bulletCounts{Bullets: 2, Twice: 1, Back: 1}, watch.bulletCounts)
	assert.True(t, watch.caused(plugin.RollbackReport{Entity: two}))
	assert.True(t, watch.caused(plugin.RollbackReport{Field: "Gun.Reload"}))
	assert.False(t, watch.caused(plugin.RollbackReport{Field: "Place.X"}))
	for range rememberFrames + 1 {
		watch.addFrame(nil)
	}
	assert.Empty(t, watch.shown, "it forgets")
}

// A shot counts by the rule that the server applied, and for the other one as well.
func TestAShotCountsByBothRules(t *testing.T) {
	const a, b = 1, 2
	var sum shotCounts
	assert.True(t, sum.count(aim{target: a}, Verdict{OnScreen: a, Present: b, Compensated: true}))
	assert.False(t, sum.count(aim{target: a}, Verdict{OnScreen: a, Present: b}))
	assert.True(t, sum.count(aim{target: a}, Verdict{Present: a}))
	assert.False(t, sum.count(aim{target: a}, Verdict{Compensated: true}))
	assert.Equal(t, shotCounts{Aimed: 4, Hit: 2, OnScreen: 2, Present: 1}, sum)
}

// A shot hits the first in its way, and nobody behind or beside it.
func TestAShotHitsTheFirstInItsWay(t *testing.T) {
	w := ecs.NewWorld()
	near, far, behind, beside := w.NewEntity(), w.NewEntity(), w.NewEntity(), w.NewEntity()
	s := shot{from: Place{X: 1, Y: 2}, dx: 0.6, dy: 0.8}
	var first nearest
	first.try(&s, far, 1, Place{X: 1 + 6, Y: 2 + 8})
	first.try(&s, near, 2, Place{X: 1 + 3 + 0.8, Y: 2 + 4 - 0.6}) // one metre beside the middle
	first.try(&s, behind, 3, Place{X: 1 - 1.2, Y: 2 - 1.6})
	first.try(&s, beside, 4, Place{X: 1 + 0.6 + 1.2, Y: 2 + 0.8 - 0.9}) // 1.5 metres
	assert.Equal(t, near, first.entity)
	assert.Equal(t, entangle.ClientID(2), first.owner)
	assert.Less(t, first.share*shotRange, 5.0)
	assert.Greater(t, first.share*shotRange, 5-playerRadius)
	direction := angle(s.from, Place{X: 1 + 6, Y: 2 + 8}, 0)
	assert.InDelta(t, math.Atan2(0.8, 0.6), direction, 1e-6)
}

// A bullet stops at the wall, sticks there for a while, and ends.
func TestABulletSticksInTheWall(t *testing.T) {
	b := Bullet{X: arenaWidth/2 - 4, Y: 1, DX: bulletSpeed, Left: stickTicks}
	assert.False(t, b.step())
	assert.Equal(t, Bullet{X: arenaWidth/2 - 1, Y: 1, DX: bulletSpeed, Left: stickTicks}, b)
	assert.False(t, b.step())
	assert.Equal(t, Bullet{X: arenaWidth / 2, Y: 1, Left: stickTicks}, b)
	for range stickTicks - 1 {
		require.False(t, b.step())
	}
	assert.True(t, b.step())
}

// A shot about which the server says nothing counts as lost.
func TestAShotWithoutAVerdictIsLost(t *testing.T) {
	p, err := newPlay(asked(t))
	require.NoError(t, err)
	defer p.End()
	for range warmUp {
		_, err = p.step()
		require.NoError(t, err)
	}
	c := p.clients[0]
	c.aiming.pending[c.Tick()-verdictTicks-1] = aim{}
	c.aiming.pending[c.Tick()-10] = aim{}
	_, err = p.step()
	require.NoError(t, err)
	assert.Equal(t, 1, c.lost)
}

func TestSettings(t *testing.T) {
	s := asked(t)
	assert.Equal(t, defaultSeconds*tickRate, s.frames())
	assert.Equal(t, program.Span(60*time.Millisecond), s.Latency)
	for _, c := range []struct{ arg, value, says string }{
		{"-mode", "both", `mode is "both"`},
		{"-clients", "1", "clients is 1; it can be 2 to 4"},
		{"-clients", "5", "clients is 5; it can be 2 to 4"},
		{"-latency", "-1ms", "can't be below zero"},
		{"-loss", "2", "loss is 2; it can be 0 to 1"},
		{"-seconds", "-1", "seconds is -1"},
		{"-key", "1234", "key"},
	} {
		_, err := example.Read([]string{c.arg, c.value}, t.Output())
		assert.ErrorContains(t, err, c.says)
	}
}

// A target that has left since the shot was fired is hit, because the shooter's screen showed it.
func TestATargetThatHasLeftIsHit(t *testing.T) {
	p, err := newPlay(asked(t))
	require.NoError(t, err)
	defer p.End()
	for range 2 * warmUp {
		_, err = p.step()
		require.NoError(t, err)
	}
	shooter, target := p.clients[0], p.clients[1]
	shooter.manual, shooter.keys = true, Controls{}
	for range tickRate { // until its gun is ready, and all verdicts have arrived
		p.Frame()
	}
	before := shooter.shots
	shooter.keys.Fire = true
	p.Frame()
	require.Len(t, shooter.aiming.pending, 1)
	target.Disconnect()
	for range tickRate {
		p.Frame()
	}
	require.Len(t, p.server.Clients(), 1)
	assert.Equal(t, before.Aimed+1, shooter.shots.Aimed)
	assert.Equal(t, before.Hit+1, shooter.shots.Hit)
	assert.Equal(t, before.Present, shooter.shots.Present, "it was not there any more")
}
