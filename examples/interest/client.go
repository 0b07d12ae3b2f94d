package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// counts counts the things that a client held.
type counts struct {
	// Frames in which it held anything, and the number of things, summed over them.
	Frames, Held int
	// Wrong counts things in states of ticks at which they were not visible, and Late those
	// held for longer than a datagram takes after they were visible.
	Wrong, Late int
	// Missing counts things that it did not hold though they were visible for as long.
	Missing int
}

// clientGame is the client of the game. It simulates nothing, and draws its replicas.
type clientGame struct {
	*plugin.Client
	number int
	counts counts
	joined entangle.Tick // the server's tick when it had joined
}

// newClientGame returns a client with the game in it. Config is the caller's, so that a
// test can give it another clock.
func newClientGame(config plugin.ClientConfig, number int, judge func(*clientGame, []seen)) (*clientGame, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client, number: number}
	client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		view := newView(w)
		return func() { judge(game, view.things()) }
	}))
	return game, nil
}

// checkThings compares the client's things with the judge's results. The state of each must be of a tick at
// which it was visible.
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

// anyOf and allOf report whether a thing was visible to a client at one, or each, of the ticks between
// two.
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
