package main

import (
	"math"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/plugin"
)

// counts counts the things that a client had.
type counts struct {
	// Frames is the number of frames in which the client had things, and Held the number of things,
	// summed over these frames.
	Frames, Held int
	// Wrong counts things with the state of a tick at which they were not visible. Late counts
	// things that the client still had longer than a datagram takes after they were last visible.
	Wrong, Late int
	// Missing counts things that the client did not have although they had been visible for that
	// long.
	Missing int
}

// clientGame is the client of the game. It simulates nothing, and draws its replicas.
type clientGame struct {
	*plugin.Client
	number int
	counts counts
	joined entangle.Tick  // the server's tick at which it had joined
	places map[name]Place // of its things in the last frame
	motion smooth.Counts
}

// newClientGame returns a client with the game in it. The caller passes config, so that a test can
// use another clock.
func newClientGame(config plugin.ClientConfig, number int, judge func(*clientGame, []seen)) (*clientGame, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client, number: number}
	client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		view := newView(w)
		return func() {
			things := view.things()
			judge(game, things)
			game.countMotion(things)
		}
	}))
	return game, nil
}

// countMotion counts how smoothly the client's things have moved since the last frame.
func (c *clientGame) countMotion(held []seen) {
	before := c.places
	c.places = map[name]Place{}
	for i := range held {
		thing, now := held[i].name(), held[i].Place
		if was, ok := before[thing]; ok && thing.Kind != lantern {
			c.motion.Add(math.Hypot(float64(now.X-was.X), float64(now.Y-was.Y)), held[i].speed())
		}
		c.places[thing] = now
	}
}

// checkThings compares the client's things with the judge's results. Each thing must have the state
// of a tick at which it was visible.
func (c *clientGame) checkThings(j *judge, held []seen, now, grace entangle.Tick) {
	if len(held) == 0 {
		return
	}
	c.counts.Frames++
	c.counts.Held += len(held)
	holds := map[name]bool{}
	for i := range held {
		thing := held[i].name()
		holds[thing] = true
		if held[i].Kind != lantern && !j.could(c.number, thing, held[i].Tick) {
			c.counts.Wrong++
		}
		if !j.anyOf(c.number, thing, now-grace, now) {
			c.counts.Late++
		}
	}
	if !c.Joined() {
		c.joined = now
	}
	for thing := range j.last[c.number-1] {
		if !holds[thing] && now-c.joined > grace && j.allOf(c.number, thing, now-grace, now) {
			c.counts.Missing++
		}
	}
}

// anyOf and allOf report whether a thing was visible to a client at any, or at every, tick of a
// range.
func (j *judge) anyOf(client int, thing name, from, to entangle.Tick) bool {
	for at := from; at != to+1; at++ {
		if j.could(client, thing, at) {
			return true
		}
	}
	return false
}

func (j *judge) allOf(client int, thing name, from, to entangle.Tick) bool {
	for at := from; at != to+1; at++ {
		if !j.could(client, thing, at) {
			return false
		}
	}
	return true
}
