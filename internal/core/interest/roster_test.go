package interest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The memory of former memberships is reused.
func TestARosterGrowsToTheMostThatThereWere(t *testing.T) {
	r := New()
	for n := range 10_000 {
		r.AddEntity(uint32(n), n%7)
		if n >= 5 {
			r.RemoveEntity(uint32(n-5), (n-5)%7)
		}
	}
	assert.Len(t, r.rooms.entities.links, 1+6)
	assert.Len(t, r.rooms.all, 6)
	assert.Len(t, r.rooms.index.slots, minIndex)
}
