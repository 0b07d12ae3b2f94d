package cases

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// sceneQuiet is how many ticks without movement it may take until every client has all state,
// whatever packets were lost.
const sceneQuiet = 400

// verifyClients stops the game, waits until everything is acknowledged, and compares the world of
// each client with its expected state, bit by bit.
func (s *scene) verifyClients(l *limits.SceneLimit, sees func(client, entity int) bool) error {
	for range sceneQuiet {
		if s.still(); s.err != nil || s.settled() {
			break
		}
	}
	switch {
	case s.err != nil:
		return s.err
	case !s.settled():
		return fmt.Errorf("something is not acknowledged after %d quiet ticks", sceneQuiet)
	}
	for i, c := range s.clients {
		if err := c.verifyWorld(l.Wanted(i, sees)); err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return nil
}

func (c *sceneClient) verifyWorld(want []limits.SceneCode) error {
	if c.copy == nil {
		return nil // deaf clients have no world
	}
	return verifyPoses(c.copy.world, want)
}

// verifyPoses compares the poses of a client's world with the expected ones, whatever their order.
func verifyPoses(w *ecs.World, want []limits.SceneCode) error {
	pose := ecs.ComponentID[workload.Pose](w)
	filter := ecs.All(pose)
	got := make([]limits.SceneCode, 0, len(want))
	for q := w.Query(&filter); q.Next(); {
		got = append(got, limits.CodeOf((*workload.Pose)(q.Get(pose))))
	}
	if !slices.Equal(limits.SortCodes(got), want) {
		return fmt.Errorf("its copy of %d entities differs from the %d that it sees", len(got), len(want))
	}
	return nil
}
