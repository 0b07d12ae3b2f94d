package netsim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/entangle-ecs/entangle/components"
)

// sentence returns the end of a sentence that begins with the subject: it describes the difference
// and suggests where to look.
func (c Cause) sentence() string {
	return [...]string{
		NotRepeatable: " is %s once, and %s the next time, from the same world.\n" +
			"Something decides that the world does not hold: the order of a map, a variable that a system keeps, " +
			"the clock, or random numbers that are not from plugin.NewRandom. See docs/DETERMINISM.md.",
		NotRestored: " is %s when the tick is run first, and %s when it is run again.\n" +
			"Something that it depends on is not restored, as no rollback does: a component or a resource that is not " +
			"registered, or a variable that a system keeps. See docs/DETERMINISM.md.",
		DependsOnOrder: " is %s, and %s when the world has its entities in another order.\n" +
			"On every machine they are in another: collect the entities and sort them by components.SID, or make the " +
			"result independent of their order. See docs/DETERMINISM.md.",
	}[min(c, DependsOnOrder)]
}

func (n *NotDeterministic) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "not deterministic in tick %d, system %d of FixedMain, %s:\n  %s", n.Tick, n.Place, n.System, n.subject())
	fmt.Fprintf(&b, n.Cause.sentence(), n.First, n.Again)
	if len(n.Unregistered) > 0 {
		fmt.Fprintf(&b, "\nNot registered are, of its components: %s. "+
			"Register those that the simulation depends on; protocol.Local is for what is not sent.", strings.Join(n.Unregistered, ", "))
	}
	return b.String()
}

// subject names the thing that differs, and its entity.
func (n *NotDeterministic) subject() string {
	switch {
	case n.Entity.IsZero():
		return n.What
	case n.What == "":
		return fmt.Sprintf("entity %v", n.Entity)
	default:
		return fmt.Sprintf("%s of entity %v", n.What, n.Entity)
	}
}

// report makes an error of a difference that was found after a system.
func (c *checker) report(d *discrepancy, system int, cause Cause) error {
	n := &NotDeterministic{
		Tick: c.game.time.Tick, System: c.game.systems[system].name, Place: system + 1, Cause: cause,
		Entity: d.entity, What: d.what, First: d.first, Again: d.again,
	}
	if row, ok := c.before.rowOf(d.entity); ok {
		n.Unregistered = c.game.unregistered(row)
	}
	return n
}

// unregistered returns the names of an entity's components that the game has not registered. Those
// of package components are not part of the simulation.
func (a *checkedWorld) unregistered(r *row) (names []string) {
	own := reflect.TypeFor[components.Replicate]().PkgPath()
	for _, n := range r.kinds {
		if k := &a.kinds[n]; !k.registered && k.typ.PkgPath() != own {
			names = append(names, k.typ.String())
		}
	}
	slices.Sort(names)
	return names
}
