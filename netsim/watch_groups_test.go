package netsim

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/systems"
)

// history is a server's past in which every value is one byte.
type history struct {
	groupWatch
	entities [4]ecs.Entity
}

func newHistory() *history {
	h := &history{groupWatch: groupWatch{past: map[ecs.Entity][]moment{}}}
	w := ecs.NewWorld()
	for i := range h.entities {
		h.entities[i] = w.NewEntity()
	}
	return h
}

// is tells what an entity was like from a tick on.
func (h *history) is(tick entangle.Tick, entity int, group components.Group, value byte) {
	state := &systems.Mirrored{Values: []systems.MirroredValue{{Wire: []byte{value}}}}
	h.add(h.entities[entity], moment{from: tick, group: group, state: state})
}

func (h *history) paused(tick entangle.Tick, entity int) {
	h.add(h.entities[entity], moment{from: tick})
}

func (h *history) gone(tick entangle.Tick, entity int) {
	h.add(h.entities[entity], moment{from: tick, gone: true})
}

// says is what the check says of a client that shows entities 0, 1 and so on, each
// as of a tick, 0 for one that it does not show.
func (h *history) says(ticks ...entangle.Tick) string {
	shown := map[ecs.Entity]entangle.Tick{}
	for i, tick := range ticks {
		if tick > 0 {
			shown[h.entities[i]] = tick
		}
	}
	if err := h.check(shown, 20); err != nil {
		return err.Error()
	}
	return ""
}

func TestAGroupIsShownAsItWasAtOneTick(t *testing.T) {
	h := newHistory()
	for tick := entangle.Tick(1); tick <= 9; tick++ {
		h.is(tick, 0, 5, byte(tick))
		h.is(tick, 1, 5, byte(tick/3))
		h.is(tick, 2, 0, byte(tick))
		h.is(tick, 3, 6, byte(tick))
	}
	assert.Empty(t, h.says(3, 3), "one tick")
	assert.Empty(t, h.says(4, 3), "the second did not change since")
	assert.Empty(t, h.says(4, 4, 9, 1), "other groups have ticks of their own")
	assert.Contains(t, h.says(4, 2), "group 5 is not as it was at any tick from 4 on: then the server's {2 0} was not as it is shown, as of tick 2")
	assert.Contains(t, h.says(4, 6), "not as it is shown")
	assert.Contains(t, h.says(4, 0), "the server's {2 0} was in it, and is missing")
	assert.Empty(t, h.says(0, 0, 4), "a client may show nothing of a group")
}

func TestAGroupLosesAndGainsMembersAtOneTick(t *testing.T) {
	h := newHistory()
	h.is(1, 0, 5, 1)
	h.is(1, 1, 5, 1)
	h.is(1, 2, 5, 1)
	h.is(4, 0, 5, 4)
	h.gone(4, 1)
	h.is(4, 3, 5, 4)
	assert.Empty(t, h.says(1, 1, 1))
	assert.Empty(t, h.says(4, 0, 1, 4))
	assert.Contains(t, h.says(4, 1, 1, 4), "the server's {2 0}, shown as of tick 1, was not in it")
	assert.Contains(t, h.says(4, 0, 1, 0), "the server's {4 0} was in it, and is missing")
	assert.Contains(t, h.says(1, 0, 1, 4), "was not as it is shown")
}

func TestWhatMovesBetweenGroupsMayLagButNotBeLost(t *testing.T) {
	h := newHistory()
	h.is(1, 0, 5, 1)
	h.is(1, 1, 5, 1)
	h.is(1, 2, 6, 1)
	h.is(4, 1, 6, 1)
	h.is(5, 0, 5, 5)
	h.is(5, 1, 6, 5)
	h.is(5, 2, 6, 5)
	assert.Empty(t, h.says(1, 1, 1), "nothing has moved yet")
	assert.Empty(t, h.says(5, 1, 1), "it has left, and shows in no group")
	assert.Empty(t, h.says(1, 5, 5), "it has arrived before it left", "the first group is as at tick 4")
	assert.Empty(t, h.says(5, 5, 5))
	assert.Contains(t, h.says(5, 0, 1), "", "it is gone with the old group")
	assert.Contains(t, h.says(5, 1, 5), "group 6 is not as it was at any tick from 5 on: then the server's {2 0} was not as it is shown")
	assert.Contains(t, h.says(5, 0, 5), "the server's {2 0} was in it, and is missing")
}

func TestAGroupThatAllHaveLeftIsNotMissed(t *testing.T) {
	h := newHistory()
	h.is(1, 0, 5, 1)
	h.is(1, 1, 5, 1)
	h.is(3, 0, 6, 1)
	h.gone(4, 1)
	assert.Empty(t, h.says(1, 0), "the group has ended with tick 4; who left it is on the way")
	h.is(6, 1, 5, 1)
	assert.Empty(t, h.says(1, 6))
}

func TestAPausedMemberStaysBehind(t *testing.T) {
	h := newHistory()
	h.is(1, 0, 5, 1)
	h.is(1, 1, 5, 1)
	h.paused(3, 1)
	h.is(4, 0, 5, 4)
	h.is(6, 0, 5, 6)
	h.is(6, 1, 5, 6)
	assert.Empty(t, h.says(4, 1))
	assert.Empty(t, h.says(4, 0), "a client that came later has no copy")
	assert.Empty(t, h.says(6, 6))
	assert.Contains(t, h.says(6, 1), "was not as it is shown, as of tick 1")
}
