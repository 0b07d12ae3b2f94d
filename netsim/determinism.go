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

// Determinism is a game whose simulation is checked: whether its systems of FixedMain make
// the same of the same world, however often they run, and in whatever order the world has
// its entities. A client that predicts depends on it: where this fails, it rolls back again
// and again, however good the network is.
type Determinism struct {
	// Protocol of the game. It must be set. What is registered in it (components, Local
	// ones too, and resources with Rollback) is what a rollback restores, and what is
	// compared.
	Protocol *protocol.Protocol

	// AddSystems adds the game's systems, as the game itself does. It must be set. It is
	// called for two apps, and must add the same systems to both.
	AddSystems func(app plugin.App)

	// Setup puts into a new world what is there at the beginning, unless the systems do
	// when they are initialised. It is called for each of the two. nil: nothing.
	Setup func(w *ecs.World)

	// Outside does in a tick, before its systems run, what does not come from them: it
	// writes inputs, and may spawn and change whatever it likes. What it draws of rng
	// follows from the seed. nil: every entity with an input has one by chance.
	Outside func(w *ecs.World, rng *rand.Rand)

	// Ticks that are checked. 0: DefaultCheckedTicks.
	Ticks int

	// Seed decides inputs and orders. 0: the environment variable ENTANGLE_SEED, or 1
	// without it.
	Seed uint64
}

// DefaultCheckedTicks is ten seconds at 60 ticks per second.
const DefaultCheckedTicks = 600

// CheckDeterminism fails the test unless a game's simulation is deterministic. The message
// names the first system, entity, component and field that differ, with the tick, the seed
// and the command that repeats the test.
//
// It runs the game on a server without clients, tick by tick. Each tick is run twice more
// in a second world, which is given the state that the first had before it, with its
// entities in another order. So it finds what depends on that order, and what does not come
// from the world: the order of maps, what systems keep beside the world, the clock, and
// random numbers that are not from plugin.NewRandom. What is not registered is not restored,
// as in a rollback, so it also finds what depends on that. The repeated ticks count as
// replays: see components.Time.
//
// It does not find what differs from machine to machine, and says nothing of systems in
// other sets than FixedMain. Entities that systems spawn may have other ids each time: they
// are compared by what they are.
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

// Check is CheckDeterminism without a test. It returns nil, a *NotDeterministic, or what is
// wrong with the fields.
func (d Determinism) Check() error {
	c, err := newChecker(d)
	if err != nil {
		return err
	}
	defer c.close()
	for range c.Ticks {
		c.frame()
		c.game.server.Update(c.game.world)
		if c.found != nil {
			return c.found
		}
	}
	if !c.met {
		return fmt.Errorf("Determinism had nothing to check: in none of the %d ticks was there an entity, or a resource with Rollback; "+
			"put into the world by Setup or Outside what a game has, for no client comes here for whom a system would spawn it", c.Ticks)
	}
	return nil
}

// withDefaults returns the game with the defaults of what is zero.
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

// checker runs the game in one world, and each of its ticks twice more in another.
type checker struct {
	Determinism
	rng   *rand.Rand
	clock Clock

	game   *arena // that goes on
	again  *arena // in which ticks are repeated
	before picture
	made   []picture // after each system, by the game
	once   []picture // by the first repetition
	twice  picture   // by the second, after the system at hand
	order  []int
	met    bool // there has been something to compare
	found  error
}

func newChecker(d Determinism) (*checker, error) {
	d, err := d.withDefaults()
	if err != nil {
		return nil, err
	}
	const use = 0x6f72646572
	c := &checker{Determinism: d, rng: rand.New(rand.NewPCG(d.Seed, use))}
	if c.game, err = c.arena(true); err != nil {
		return nil, err
	}
	if c.again, err = c.arena(false); err != nil {
		return nil, err
	}
	if err := c.sameSystems(); err != nil {
		return nil, err
	}
	c.made, c.once = make([]picture, len(c.game.systems)), make([]picture, len(c.game.systems))
	return c, nil
}

// now is the time of the frame at hand: each has one tick.
func (c *checker) now() time.Time { return c.clock.Now() }

// sameSystems holds that both apps have the same systems.
func (c *checker) sameSystems() error {
	game, again := c.game.systems, c.again.systems
	if len(game) == 0 {
		return fmt.Errorf("Determinism.AddSystems has added no system to plugin.FixedMain, so there is nothing to check")
	}
	if len(game) != len(again) {
		return fmt.Errorf("Determinism.AddSystems has added %d systems to FixedMain in one call, %d in the other; it must add the same to every app", len(game), len(again))
	}
	return nil
}

func (c *checker) close() {
	c.again.close()
	c.game.close()
}

// ran is called after every system of the game.
func (c *checker) ran(number int) {
	c.game.take(&c.made[number], false)
	c.met = c.met || c.made[number].holds()
	if number == len(c.made)-1 && c.found == nil {
		c.found = c.repeat()
	}
}

// begin is called before the first system of a tick of the game.
func (c *checker) begin() {
	c.game.meet()
	if c.Outside != nil {
		c.Outside(c.game.world, c.rng)
	} else {
		c.game.press(c.rng)
	}
	c.game.take(&c.before, true)
}

// repeat runs the tick at hand twice more.
func (c *checker) repeat() error {
	c.order = c.order[:0]
	for i := range c.before.rows {
		c.order = append(c.order, i)
	}
	c.rng.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	err := c.replay(func(i int) error {
		c.again.take(&c.once[i], false)
		return nil
	})
	if err == nil {
		err = c.replay(func(i int) error { return c.compare(&c.once[i], i, NotRepeatable) })
	}
	if err != nil {
		return err
	}
	for i := range c.once {
		if d := c.differ(&c.made[i], &c.once[i]); d != nil {
			return c.why(d, i)
		}
	}
	return nil
}

// replay runs the tick at hand in the second world, and looks at it after each system,
// until that is an error.
func (c *checker) replay(look func(system int) error) error {
	c.again.load(&c.before, c.game, c.order)
	for i := range c.again.systems {
		c.again.run(i, c.game.time.Tick)
		if err := look(i); err != nil {
			return err
		}
	}
	return nil
}

// compare compares the second world with a picture of what came out before.
func (c *checker) compare(before *picture, system int, cause Cause) error {
	c.again.take(&c.twice, false)
	if d := c.differ(before, &c.twice); d != nil {
		return c.report(d, system, cause)
	}
	return nil
}

// suspicion is how often a tick that came out otherwise than in the game is run again: a map
// may have one order several times.
const suspicion = 16

// why finds out why a tick came out otherwise than in the game: whether it does so each
// time, and with the entities in the game's own order, too.
func (c *checker) why(d *discrepancy, system int) error {
	for range suspicion {
		if err := c.replay(func(i int) error { return c.compare(&c.once[i], i, NotRepeatable) }); err != nil {
			return err
		}
	}
	slices.Sort(c.order)
	err := c.replay(func(i int) error { return c.compare(&c.made[i], i, NotRestored) })
	if err == nil {
		err = c.report(d, system, DependsOnOrder)
	}
	return err
}

// Cause is why a tick does not come out as it did.
type Cause uint8

const (
	// NotRepeatable: it came out twice otherwise, from the same world in the same order.
	NotRepeatable Cause = iota
	// NotRestored: something is not in the world any more that was when the game ran the
	// tick.
	NotRestored
	// DependsOnOrder: it comes out the same while the entities are in the same order.
	DependsOnOrder
)

// String returns the name of the cause.
func (c Cause) String() string {
	return [...]string{"NotRepeatable", "NotRestored", "DependsOnOrder"}[min(c, DependsOnOrder)]
}

// NotDeterministic says where a simulation made two things of one state.
type NotDeterministic struct {
	Tick entangle.Tick
	// System after which the difference was seen, and its place in FixedMain, from 1.
	System string
	Place  int
	Cause  Cause
	// Entity that differs, with its id in the game's world. Zero: a resource, or an entity
	// that was spawned in one run alone.
	Entity ecs.Entity
	// What differs: an innermost field such as Position.Pos.X, a component, or that the
	// entity is there; and how it is in either run.
	What, First, Again string
	// Unregistered are components of the entity that are not in the protocol.
	Unregistered []string
}

// Error implements error.
func (n *NotDeterministic) Error() string { return n.text() }
