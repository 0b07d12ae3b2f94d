package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"
)

// sceneQuiet is how many ticks a scene without movement may take until everyone
// holds everything, whatever was lost.
const sceneQuiet = 400

// equal stops the game, waits until everything is acknowledged, and compares the
// world of each client with what it should hold, to the last bit.
func (s *scene) equal(l *sceneLimit, sees func(client, entity int) bool) error {
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
		if err := c.equal(l.wanted(i, sees)); err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return nil
}

// wanted returns the codes of what a client sees, in order.
func (l *sceneLimit) wanted(client int, sees func(client, entity int) bool) []sceneCode {
	var codes []sceneCode
	for i := range l.codes {
		if sees == nil || sees(client, i) {
			pose := l.pose(i)
			codes = append(codes, codeOf(&pose))
		}
	}
	return sortCodes(codes)
}

func (c *sceneClient) equal(want []sceneCode) error {
	if c.copy == nil {
		return nil // deaf
	}
	w := c.copy.world
	pose := ecs.ComponentID[encodePose](w)
	filter := ecs.All(pose)
	got := make([]sceneCode, 0, len(want))
	for q := w.Query(&filter); q.Next(); {
		got = append(got, codeOf((*encodePose)(q.Get(pose))))
	}
	if !slices.Equal(sortCodes(got), want) {
		return fmt.Errorf("its copy of %d entities differs from the %d that it sees", len(got), len(want))
	}
	return nil
}

func sortCodes(codes []sceneCode) []sceneCode {
	slices.SortFunc(codes, func(a, b sceneCode) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	return codes
}
