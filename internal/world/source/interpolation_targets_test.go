package source

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// The one client that does not interpolate an entity is the one that Interpolates finds by asking each.
func TestAllClientsButOneInterpolate(t *testing.T) {
	known := 0
	for owner := range entangle.ClientID(3) {
		for _, interpolate := range []components.Target{components.Everyone, components.Nobody, components.NotOwner, components.Owner} {
			for _, predict := range []components.Target{components.Everyone, components.Nobody, components.NotOwner, components.Owner} {
				for setBy := range entangle.ClientID(2) { // the entity, or a parent with another owner
					v := &visibility{Targets: &components.Targets{}, Owner: []entangle.ClientID{owner, 2}}
					v.Interpolations.of = []clientTarget{{interpolate, 0}}
					v.Predictions.Of = []clientTarget{{predict, repl.Slot(setBy)}}
					except, ok := v.interpolatedExceptBy(0)
					if !ok {
						continue
					}
					known++
					for client := entangle.ClientID(1); client < 4; client++ {
						assert.Equal(t, client != except, v.Interpolates(client, 0),
							"client %d: Interpolate %v, Predict %v, owner %d, predicted by that of %d", client, interpolate, predict, owner, setBy)
					}
				}
			}
		}
	}
	assert.Greater(t, known, 15)
}
