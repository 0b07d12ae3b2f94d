package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

func TestAValueSentOnceIsOneSinceTheInsertion(t *testing.T) {
	h := newWatchFixture(t, 1)
	values := func(tick entangle.Tick) (all []byte) {
		for _, v := range h.onceValues(h.entities[0], watcher, 0, tick) {
			all = append(all, v.Wire[0])
		}
		return all
	}
	for tick := entangle.Tick(1); tick <= 9; tick++ {
		switch h.setEntity(0, 0, byte(tick)); tick {
		case 3:
			h.next[0].Values = nil
		case 5:
			h.pauseEntity(0)
		}
		h.replicateOf(0).Target = components.Everyone
		if tick == 8 {
			h.replicateOf(0).Target = components.Nobody
		}
		h.endTick(tick)
	}
	assert.Equal(t, []byte{2, 1}, values(2))
	assert.Empty(t, values(3))
	assert.Equal(t, []byte{4}, values(4))
	assert.Equal(t, []byte{7, 6, 4}, values(7))
	assert.Equal(t, []byte{9}, values(9), "it was hidden before")
}
