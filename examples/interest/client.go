package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// tally counts what a client held.
type tally struct {
	// Frames in which it held anything, and things, summed over them.
	Frames, Held int
	// Wrong are things in states that it could not know of, and Late those that it held
	// for longer than the way of a datagram after it could know of them.
	Wrong, Late int
	// Missing are things that it did not hold though it could know of them for as long.
	Missing int
}

// clientGame is the game as a client plays it. It simulates nothing, and draws what it
// holds.
type clientGame struct {
	*plugin.Client
	number int
	tally  tally
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
		sight := newSight(w)
		return func() { judge(game, sight.things()) }
	}))
	return game, nil
}

// check compares what the client holds with what the judge of the server found. Of what
// it holds, the state must be of a tick at which it could know of it.
func (c *clientGame) check(j *judge, held []seen, now, grace entangle.Tick) {
	if len(held) == 0 {
		return
	}
	c.tally.Frames++
	c.tally.Held += len(held)
	holds := map[name]bool{}
	for i := range held {
		thing := held[i].name()
		holds[thing] = true
		if held[i].Kind != lantern && !j.could(c.number, thing, held[i].Tick) {
			c.tally.Wrong++
		}
		if !j.anyOf(c.number, thing, now-grace, now) {
			c.tally.Late++
		}
	}
	if !c.Joined() {
		c.joined = now
	}
	for thing := range j.last[c.number-1] {
		if !holds[thing] && now-c.joined > grace && j.allOf(c.number, thing, now-grace, now) {
			c.tally.Missing++
		}
	}
}

// anyOf and allOf report whether a client could know of a thing at one, or each, of the
// ticks between two.
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
