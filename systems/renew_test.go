package systems

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// What a reference waits for that came when its entity was gone is not who has the
// name next; one that came later means that.
//
// Proves: R27
func TestAReferenceDoesNotWaitForWhoHasTheNameNext(t *testing.T) {
	h := newHand(t)
	h.come(1, h.one(5))
	said := h.copy.stage.tick
	h.come(2, h.one(6))
	h.copy.Renew(5, said-1)
	assert.Equal(t, 2, h.waiting(), "it was said later")
	h.copy.Renew(5, said)
	assert.Equal(t, 1, h.waiting(), "that of the other handle")
	assert.Zero(t, h.copy.entities[0].waits)
	h.come(5)
	h.come(6)
	assert.Equal(t, ecs.Entity{}, at[heldOne](h, 1).To)
	assert.Equal(t, h.entity(6), at[heldOne](h, 2).To)
}
