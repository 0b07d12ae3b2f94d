package receiver

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// group is the replica of one group.
type group struct {
	handle     repl.Handle
	tick       entangle.Tick   // of the replica
	known      bool            // a full was applied
	generation repl.Generation // of the handle, as of the last full
	members    []member        // by rising number
	waiting    *queue          // nil while the group never had any: with a slice, spawns of runs take 5 % longer
}

// member is one entity of a group.
type member struct {
	slot   repl.Slot
	id     repl.ID
	number repl.Member
	mark   mark
}

// mark is the current record's statement on a member.
type mark uint8

const (
	unmarked mark = iota
	stated        // it is in the group, as of this record
	leaving       // and above: it is not, with its fate added
)

// verdict is the treatment of a record.
type verdict uint8

const (
	apply verdict = iota
	wait
	drop
)

// judge decides what happens to a record, whatever the order in which records arrive. A full applies to any replica that is
// older. Every other record holds all changes of its kind since its baseline, and applies to a replica that has reached
// that. The baseline of what was sent after an action is not before that action, so actions need no sequence.
func (g *group) judge(rec *repl.Record) verdict {
	switch full := rec.Kind == repl.Full; {
	case g.known && !g.tick.Before(rec.Tick):
		return drop
	case !full && (!g.known || g.tick.Before(rec.Base)):
		return wait
	}
	return apply
}

// tickBefore returns the tick of the replica before a record: that of the record itself if there was none.
func (g *group) tickBefore(rec *repl.Record) entangle.Tick {
	if g.known {
		return g.tick
	}
	return rec.Tick
}

// member returns a member by its number, or nil. Numbers are usually dense, and then a member's
// place is its number.
func (g *group) member(number repl.Member) *member {
	i := int(number)
	if i >= len(g.members) || g.members[i].number != number {
		var found bool
		if i, found = g.search(number); !found {
			return nil
		}
	}
	return &g.members[i]
}

// search returns where a number is or belongs: never behind the place that it has
// if there is no gap.
func (g *group) search(number repl.Member) (at int, found bool) {
	upTo := g.members[:min(len(g.members), int(number)+1)]
	return slices.BinarySearchFunc(upTo, number, func(m member, n repl.Member) int { return int(m.number) - int(n) })
}

// insert adds a member, the number of which must be free.
func (g *group) insert(m member) {
	at, _ := g.search(m.number)
	g.members = slices.Insert(g.members, at, m)
}

// removeMember removes an existing member.
func (g *group) removeMember(number repl.Member) {
	at, _ := g.search(number)
	g.members = slices.Delete(g.members, at, at+1)
}
