package netsim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// Determinism describes a game for a check of its simulation: its systems in FixedMain must compute
// the same result from the same world, however often they run, and in whatever order the world
// stores its entities. Client prediction depends on this: without it, a client rolls back again and
// again, however good the network is.
type Determinism struct {
	// Protocol is the protocol of the game. It is required. A rollback restores the components
	// (Local ones too) and the resources with Rollback that are registered in it, and the check
	// compares these.
	Protocol *protocol.Protocol

	// AddSystems adds the game's systems, as the game itself does. It is required. It is called for
	// two apps and must add the same systems to both.
	AddSystems func(app plugin.App)

	// Setup adds the initial entities and resources to a new world, unless the systems do so when
	// they are initialised. It is called for each of the two worlds. nil: nothing is added.
	Setup func(w *ecs.World)

	// Outside runs in each tick before the game's systems and makes the changes that do not come
	// from them: it writes inputs, and may spawn and change anything. It must take all randomness
	// from rng, which is seeded with Seed. nil: every entity with an input gets random inputs.
	Outside func(w *ecs.World, rng *rand.Rand)

	// Ticks is the number of ticks to check. 0: DefaultCheckedTicks.
	Ticks int

	// Seed determines inputs and orders. 0: the environment variable ENTANGLE_SEED, or 1 if it is
	// not set.
	Seed uint64
}

// DefaultCheckedTicks is ten seconds at 60 ticks per second.
const DefaultCheckedTicks = 600

// CheckDeterminism fails the test unless a game's simulation is deterministic. The message names
// the first system, entity, component and field that differ, with the tick, the seed and the
// command that repeats the test.
//
// It runs the game on a server without clients, tick by tick. It runs each tick twice more in a
// second world, which starts from the state of the first world before the tick, with its entities
// in another order. Therefore it finds results that depend on that order, and results that depend
// on something outside the world: the iteration order of maps, variables that systems keep, the
// clock, and random numbers that are not from plugin.NewRandom. Like a rollback, it does not
// restore unregistered components, so it also finds results that depend on those. The repeated
// ticks count as replays: see components.Time.
//
// It does not find differences between machines, and does not check systems in sets other than
// FixedMain. Entities that systems spawn may have other ids each time: they are compared by their
// components and references.
func CheckDeterminism(t T, d Determinism) {
	t.Helper()
	seed, free, err := pickSeed(d.Seed)
	if err != nil {
		t.Fatalf("netsim: %v", err)
	}
	d.Seed = seed
	if err := d.Check(); err != nil {
		t.Fatalf("netsim: %v\nseed %d; repeat with: %s", err, seed, repeat(t.Name(), seed, free))
	}
}

// Check is CheckDeterminism without a test. It returns nil, a *NotDeterministic, or an error that
// names an invalid field.
func (d Determinism) Check() error {
	c, err := newChecker(d)
	if err != nil {
		return err
	}
	defer c.finalize()
	for range c.Ticks {
		c.advanceClock()
		c.game.server.Update(c.game.world)
		if c.found != nil {
			return c.found
		}
	}
	if !c.hadData {
		return fmt.Errorf("Determinism had nothing to check: in none of the %d ticks was there an entity, or a resource with Rollback; "+
			"let Setup or Outside spawn what a game has: no client connects here, for which a system would spawn it", c.Ticks)
	}
	return nil
}

// withDefaults returns the game with zero fields set to their defaults.
func (d Determinism) withDefaults() (Determinism, error) {
	switch {
	case d.Protocol == nil:
		return d, fmt.Errorf("Determinism has no Protocol; set the one that the game's server is made with")
	case d.AddSystems == nil:
		return d, fmt.Errorf("Determinism has no AddSystems; set the function with which the game adds its systems to an app")
	case d.Ticks < 0:
		return d, fmt.Errorf("Determinism.Ticks is %d; leave it zero for %d", d.Ticks, DefaultCheckedTicks)
	case d.Ticks == 0:
		d.Ticks = DefaultCheckedTicks
	}
	seed, _, err := pickSeed(d.Seed)
	d.Seed = seed
	return d, err
}

// checker runs the game in one world, and repeats each of its ticks twice in another.
type checker struct {
	Determinism
	rng   *rand.Rand
	clock Clock

	game     *checkedWorld // the game itself
	repeated *checkedWorld // repeats the ticks
	before   snapshot
	results  []snapshot // after each system of the game
	first    []snapshot // after each system of the first repetition
	second   snapshot   // after the current system of the second repetition
	order    []int
	hadData  bool // whether any snapshot had something to compare
	found    error
}

func newChecker(d Determinism) (*checker, error) {
	d, err := d.withDefaults()
	if err != nil {
		return nil, err
	}
	const use = 0x6f72646572
	c := &checker{Determinism: d, rng: rand.New(rand.NewPCG(d.Seed, use))}
	if c.game, err = c.newWorld(true); err != nil {
		return nil, err
	}
	if c.repeated, err = c.newWorld(false); err != nil {
		return nil, err
	}
	if err := c.sameSystems(); err != nil {
		return nil, err
	}
	c.results, c.first = make([]snapshot, len(c.game.systems)), make([]snapshot, len(c.game.systems))
	return c, nil
}

// now returns the time of the current frame. Each frame has one tick.
func (c *checker) now() time.Time { return c.clock.Now() }

// sameSystems returns an error unless both apps have the same systems.
func (c *checker) sameSystems() error {
	game, again := c.game.systems, c.repeated.systems
	if len(game) == 0 {
		return fmt.Errorf("Determinism.AddSystems has added no system to plugin.FixedMain, so there is nothing to check")
	}
	if len(game) != len(again) {
		return fmt.Errorf("Determinism.AddSystems has added %d systems to FixedMain in one call, %d in the other; it must add the same to every app", len(game), len(again))
	}
	return nil
}

func (c *checker) finalize() {
	c.repeated.finalize()
	c.game.finalize()
}

// systemRan is called after every system of the game.
func (c *checker) systemRan(number int) {
	c.game.takeSnapshot(&c.results[number], false)
	c.hadData = c.hadData || c.results[number].hasData()
	if number == len(c.results)-1 && c.found == nil {
		c.found = c.repeatTick()
	}
}

// tickBegins is called before the first system of a tick of the game.
func (c *checker) tickBegins() {
	c.game.addKinds()
	if c.Outside != nil {
		c.Outside(c.game.world, c.rng)
	} else {
		c.game.pressInputs(c.rng)
	}
	c.game.takeSnapshot(&c.before, true)
}

// repeatTick runs the current tick two more times.
func (c *checker) repeatTick() error {
	c.order = c.order[:0]
	for i := range c.before.rows {
		c.order = append(c.order, i)
	}
	c.rng.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	err := c.replay(func(i int) error {
		c.repeated.takeSnapshot(&c.first[i], false)
		return nil
	})
	if err == nil {
		err = c.replay(func(i int) error { return c.compareWith(&c.first[i], i, NotRepeatable) })
	}
	if err != nil {
		return err
	}
	for i := range c.first {
		if d := c.compareSnapshots(&c.results[i], &c.first[i]); d != nil {
			return c.findCause(d, i)
		}
	}
	return nil
}

// replay runs the current tick in the second world and calls check after each system, until check
// returns an error.
func (c *checker) replay(check func(system int) error) error {
	c.repeated.restore(&c.before, c.game, c.order)
	for i := range c.repeated.systems {
		c.repeated.runSystem(i, c.game.time.Tick)
		if err := check(i); err != nil {
			return err
		}
	}
	return nil
}

// compareWith compares the second world with an earlier snapshot.
func (c *checker) compareWith(before *snapshot, system int, cause Cause) error {
	c.repeated.takeSnapshot(&c.second, false)
	if d := c.compareSnapshots(before, &c.second); d != nil {
		return c.report(d, system, cause)
	}
	return nil
}

// suspectedRuns is the number of times a tick is run again if its result differed from the game's:
// a map may have the same iteration order several times.
const suspectedRuns = 16

// findCause finds the cause of a different result: it checks whether the result differs each time,
// and whether it also differs with the entities in the game's own order.
func (c *checker) findCause(d *discrepancy, system int) error {
	for range suspectedRuns {
		if err := c.replay(func(i int) error { return c.compareWith(&c.first[i], i, NotRepeatable) }); err != nil {
			return err
		}
	}
	slices.Sort(c.order)
	err := c.replay(func(i int) error { return c.compareWith(&c.results[i], i, NotRestored) })
	if err == nil {
		err = c.report(d, system, DependsOnOrder)
	}
	return err
}

// Cause is the reason why a repeated tick has another result.
type Cause uint8

const (
	// NotRepeatable: two runs from the same world in the same order had different results.
	NotRepeatable Cause = iota
	// NotRestored: something that the world had when the game ran the tick was not restored.
	NotRestored
	// DependsOnOrder: the result is the same only while the entities are in the same order.
	DependsOnOrder
)

// String returns the name of the cause.
func (c Cause) String() string {
	return [...]string{"NotRepeatable", "NotRestored", "DependsOnOrder"}[min(c, DependsOnOrder)]
}

// NotDeterministic describes the first difference between two runs of a tick from the same state.
type NotDeterministic struct {
	Tick entangle.Tick
	// System is the name of the system after which the difference was found. Place is its position
	// in FixedMain, from 1.
	System string
	Place  int
	Cause  Cause
	// Entity is the entity that differs, with its id in the game's world. Zero: the difference is
	// in a resource, or in an entity that only one run spawned.
	Entity ecs.Entity
	// What names the difference: an innermost field such as Position.Pos.X, a component, or the
	// existence of the entity. First and Again are its values in the two runs.
	What, First, Again string
	// Unregistered lists the components of the entity that are not in the protocol.
	Unregistered []string
}

// Error implements error.
func (n *NotDeterministic) Error() string { return n.describe() }
