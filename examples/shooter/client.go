package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// clientGame is the client of the game: it runs the systems of its own player ahead of the server.
type clientGame struct {
	*plugin.Client
	seen  viewState // the drawn state
	watch bulletWatch
	shots shotCounts
	marks []mark // what the view shows of the last shots

	seed   uint64
	quiet  bool     // nobody fires any more
	manual bool     // a player presses keys; otherwise the bot does
	keys   Controls // the player's input
	aiming aiming
	lost   int // shots at something that the server has not judged in time

	lateBefore uint64 // inputs that were late before counting began
}

// newClientGame returns a client with the game in it, played by a bot with a random seed. The caller passes config,
// so that a test can use another clock.
func newClientGame(config plugin.ClientConfig, seed uint64) (*clientGame, error) {
	config.ExplainRollbacks = reports
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client, seed: seed}
	game.watch.restart(client)
	game.aiming = aiming{seen: &game.seen, pending: map[entangle.Tick]aim{}}
	client.AddSystem(plugin.AfterReceive, plugin.Func(game.hear))
	client.AddSystem(plugin.FixedInput, plugin.Func(game.press))
	client.AddSystem(plugin.FixedMain, shoot(nil))
	client.AddSystem(plugin.FixedMain, run())
	client.AddSystem(plugin.FixedMain, fly())
	client.AddSystem(plugin.AfterSend, visualinterp.Add[Bullet](visualinterp.Add[Place](visualinterp.New())))
	client.AddSystem(plugin.AfterSend, plugin.Func(game.seen.recordDrawn))
	client.AddSystem(plugin.AfterSend, plugin.Func(game.look))
	return game, nil
}

// press writes the input of the player in every tick, and notes what it aims at.
func (g *clientGame) press(w *ecs.World) func() {
	mine := generic.NewFilter3[Controls, Place, Gun]().With(generic.T[components.Controlled]())
	now := ecs.GetResource[components.Time](w)
	bot := newBot(g.seed)
	return func() {
		for q := mine.Query(w); q.Next(); {
			controls, place, gun := q.Get()
			*controls = g.controls(bot, *place, gun.Reload == 0)
			if !controls.Fire {
				continue
			}
			if a, ok := g.aiming.at(*place, controls.Aim); ok {
				g.aiming.pending[now.Tick] = a
				g.marks = append(g.marks, mark{at: a.at, open: true, left: markFrames, tick: now.Tick})
			}
		}
	}
}

// controls returns the input of this tick.
func (g *clientGame) controls(bot *bot, at Place, ready bool) Controls {
	ready = ready && !g.quiet
	if !g.manual {
		return bot.press(&g.aiming, at, ready)
	}
	c := g.keys
	g.keys.Fire = false
	target, ok := g.aiming.target(at)
	if c.Fire = c.Fire && ready && ok; c.Fire {
		c.Aim = angle(at, target, 0)
	}
	return c
}

// verdictTicks is for how long a client waits for a verdict.
const verdictTicks = 2 * tickRate

// hear compares what the shots hit with what they were aimed at.
func (g *clientGame) hear(w *ecs.World) func() {
	verdicts := plugin.NewReader[plugin.MessageReceived[Verdict]](w)
	now := ecs.GetResource[components.Time](w)
	return func() {
		for _, event := range verdicts.Read() {
			tick := event.Message.Tick
			a, ok := g.aiming.pending[tick]
			if !ok {
				continue // it was aimed at nothing
			}
			delete(g.aiming.pending, tick)
			hit := g.shots.count(a, event.Message)
			for i := range g.marks {
				if m := &g.marks[i]; m.tick == tick {
					m.open, m.good, m.left = false, hit, markFrames
				}
			}
		}
		for tick := range g.aiming.pending {
			if now.Tick.Sub(tick) > verdictTicks {
				delete(g.aiming.pending, tick)
				g.lost++
			}
		}
	}
}

// look counts what the frame shows.
func (g *clientGame) look(*ecs.World) func() {
	return func() {
		g.marks = age(g.marks)
		g.watch.addFrame(g.seen.bullets)
		g.watch.addRollbacks(g.Client)
	}
}

// restart begins all counts again.
func (g *clientGame) restart() {
	clear(g.aiming.pending)
	g.shots, g.lost = shotCounts{}, 0
	g.watch.restart(g.Client)
}
