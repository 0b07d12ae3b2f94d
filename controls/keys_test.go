package controls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/controls"
)

// keyboard is the set of keys that are down.
type keyboard map[string]bool

func (k keyboard) isDown(key string) bool { return k[key] }

// Proves: I11
func TestKeysAreBoundAndRebound(t *testing.T) {
	var keys controls.Keys[string]
	var jump, fire controls.Latch
	keys.Bind(&jump, "space", "w")
	keys.Bind(&fire, "space")
	frame := func(down ...string) [2]controls.Button {
		board := keyboard{}
		for _, key := range down {
			board[key] = true
		}
		keys.Update(board.isDown)
		return [2]controls.Button{jump.Take(), fire.Take()}
	}
	assert.Equal(t, [2]controls.Button{press, press}, frame("space"), "one key for two")
	assert.Equal(t, [2]controls.Button{held, release}, frame("w"), "two keys for one")
	assert.Equal(t, [2]controls.Button{held, press}, frame("w", "space"))

	keys.Bind(&jump, "j")
	assert.Equal(t, [2]controls.Button{release, held}, frame("w", "space"), "the previous binding has no effect")
	assert.Equal(t, [2]controls.Button{press, release}, frame("j"))
	keys.Bind(&jump)
	assert.Equal(t, release, jump.Take(), "a button without keys is up")
	assert.Equal(t, [2]controls.Button{up, press}, frame("j", "space"))
	keys.Release()
	assert.Equal(t, release, fire.Take())
}

func TestPairsOfKeysPushAnAxis(t *testing.T) {
	type pair = controls.Pair[string]
	var keys controls.Keys[string]
	var move controls.Axis2Latch
	keys.BindAxis(&move.X, pair{"a", "d"}, pair{"left", "right"})
	keys.BindAxis(&move.Y, pair{Negative: "s", Positive: "w"})
	frame := func(down ...string) controls.Axis2 {
		board := keyboard{}
		for _, key := range down {
			board[key] = true
		}
		keys.Update(board.isDown)
		return move.Take()
	}
	assert.Equal(t, controls.Axis2{X: 1}, frame("d"))
	assert.Equal(t, controls.Axis2{X: 1, Y: -1}, frame("right", "s"))
	assert.Equal(t, controls.Axis2{}, frame("a", "right", "w", "s"), "keys against each other")
	assert.Equal(t, controls.Axis2{X: -1}, frame("a", "left"))
	keys.BindAxis(&move.X, pair{"q", "e"})
	assert.Equal(t, controls.Axis2{X: 1, Y: 1}, frame("a", "e", "w"))
	keys.Release()
	assert.Zero(t, move.Take())
	frame("e")
	keys.BindAxis(&move.X)
	assert.Zero(t, move.Take())
	assert.Zero(t, frame("e"))
}

// A game may modify the slices of its bindings after binding.
func TestBindingsAreCopies(t *testing.T) {
	var keys controls.Keys[string]
	var jump controls.Latch
	list := []string{"space"}
	keys.Bind(&jump, list...)
	list[0] = "x"
	keys.Update(keyboard{"space": true}.isDown)
	assert.Equal(t, press, jump.Take())
}

// A terminal reports key strokes, but does not report when keys are released.
//
// Proves: I11
func TestStrokesAreKeysThatAreDownForAWhile(t *testing.T) {
	var strokes controls.Strokes[rune]
	var keys controls.Keys[rune]
	var fire controls.Latch
	keys.Bind(&fire, ' ')
	at := func(ms int) time.Time { return time.UnixMilli(100_000 + int64(ms)) }
	frame := func(ms int) controls.Button {
		strokes.Begin(at(ms))
		keys.Update(strokes.Down)
		return fire.Take()
	}
	strike := func(ms int) { strokes.Strike(' ', at(ms)) }
	assert.Equal(t, up, frame(0))
	strike(10)
	assert.Equal(t, press, frame(20))
	assert.Equal(t, held, frame(159))
	assert.Equal(t, release, frame(160))
	strike(200)
	assert.Equal(t, press, frame(210))
	for ms := 230; ms < 400; ms += 30 { // the key is held, and reported repeatedly
		strike(ms)
		assert.Equal(t, held, frame(ms+10))
	}
	assert.Equal(t, release, frame(600))
	strike(610)
	assert.Equal(t, press, frame(5000), "a frame that took long does not lose it")
	assert.Equal(t, release, frame(5001))

	strokes.Hold = time.Second
	strike(6000)
	frame(6010)
	assert.Equal(t, held, frame(6999))
	assert.Equal(t, release, frame(7000))
}
