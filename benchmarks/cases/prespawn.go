package cases

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/prespawn"
)

// In the case prespawn, a client spawns 1,000 entities ahead of the server in one tick, and those that it spawned a
// round trip ago arrive. One operation is the work for that besides the spawns themselves: hashes for the new ones,
// the matches, and the end of entries that no rollback needs any more.
const (
	prespawnEach = 1000 // spawns per tick
	prespawnTrip = 2    // ticks from a spawn to its match; more would not fit into a Matcher
	prespawnKept = 3    // ticks for which a rollback can repeat a spawn
)

func prespawnVariants() []report.Variant {
	return []report.Variant{{Name: "prespawn/1000", Goal: 4, Prepare: prespawnSides}}
}

type prespawnScene struct {
	tick     entangle.Tick
	entities []uint32
	hasher   prespawn.Hasher
	matcher  *prespawn.Matcher[uint32]
	limit    *limits.PrespawnLimit
	hashes   [prespawnTrip + 1][]uint32 // of the last ticks, as the server sends them
	matched  int
}

func prespawnSides() (report.Sides, error) {
	s := &prespawnScene{
		tick: 1000, entities: make([]uint32, prespawnEach), limit: limits.NewPrespawnLimit(),
		matcher: prespawn.New(prespawn.DefaultLimit, func(uint32) bool { return true }),
	}
	for i := range s.hashes {
		s.hashes[i] = make([]uint32, prespawnEach)
	}
	for range 10 {
		s.before()
		s.ours()
		s.byHand()
	}
	return report.Sides{Before: s.before, Ours: s.ours, Limit: s.byHand, Verify: s.verify}, nil
}

// before gives the new entities of a tick their ids.
func (s *prespawnScene) before() {
	s.tick++
	for i := range s.entities {
		s.entities[i] = uint32(s.tick)*prespawnEach + uint32(i)
	}
}

func (s *prespawnScene) ours() {
	s.hasher.Begin(s.tick)
	mine := s.hashes[s.tick%(prespawnTrip+1)]
	for i, e := range s.entities {
		mine[i] = s.hasher.Hash(set.MaskOf(3, 5), 1, 0)
		s.matcher.Spawned(e, mine[i], s.tick, s.tick+20, s.drop)
	}
	for _, hash := range s.hashes[(s.tick-prespawnTrip)%(prespawnTrip+1)] {
		if _, ok := s.matcher.Match(hash, s.tick-prespawnTrip); ok {
			s.matched++
		}
	}
	s.matcher.Expire(s.tick, s.tick-prespawnTrip, s.tick-prespawnKept+1, s.drop)
}

func (s *prespawnScene) drop(uint32, prespawn.State) {}

func (s *prespawnScene) byHand() {
	s.limit.Spawn(uint32(s.tick), s.entities)
	s.limit.Match(uint32(s.tick-prespawnTrip), prespawnEach)
}

func (s *prespawnScene) verify() error {
	if ticks := int(s.tick) - 1000 - prespawnTrip; s.matched < ticks*prespawnEach || s.matcher.Stats().Unmatched > 0 {
		return fmt.Errorf("%d matches in %d ticks, and %+v", s.matched, ticks, s.matcher.Stats())
	}
	return nil
}
