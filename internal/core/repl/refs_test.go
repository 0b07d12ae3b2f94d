package repl_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// crews is a source with two components: a name, and a list of entities.
type crews map[repl.Slot][]repl.Slot

func (c crews) Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable) {
	if comp == 0 {
		w.Bits(uint64(slot), 32)
		return
	}
	w.Uvarint(uint64(len(c[slot])))
	for _, to := range c[slot] {
		w.Uvarint(uint64(refs.Index(to)))
	}
}

// crewSink is the world that a receiver makes from crews: entities by their names.
type crewSink struct {
	at    repl.Slot
	names []repl.Slot
	lists map[repl.Slot][]repl.Slot // the local entities of each list
}

func (c *crewSink) Spawn(repl.ID) repl.Slot {
	c.names = append(c.names, repl.NoSlot)
	return repl.Slot(len(c.names) - 1)
}

func (c *crewSink) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	if comp == 0 {
		c.names[c.at] = repl.Slot(r.Bits(32))
		return r.Err()
	}
	c.lists[c.at] = c.lists[c.at][:0]
	for range r.Uvarint() {
		to, ok := refs.At(uint32(r.Uvarint()))
		if !ok {
			return receiver.ErrMalformed
		}
		c.lists[c.at] = append(c.lists[c.at], to.Slot)
	}
	return r.Err()
}

func (c *crewSink) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	return c.Insert(r, comp, refs)
}

func (c *crewSink) Skip(r *bits.Reader, comp int) error {
	if comp == 0 {
		r.Bits(32)
		return r.Err()
	}
	for range r.Uvarint() {
		r.Uvarint()
	}
	return r.Err()
}

func (c *crewSink) Member(slot repl.Slot, _ bool)        { c.at = slot }
func (c *crewSink) Remove(int)                           {}
func (c *crewSink) Despawn(repl.Slot)                    {}
func (c *crewSink) Orphan(repl.Slot)                     {}
func (c *crewSink) Begin(_, _ entangle.Tick)             {}
func (c *crewSink) Predict(repl.Slot, bool)              {}
func (c *crewSink) Outdate(repl.Handle, repl.Generation) {}
func (c *crewSink) Most() int                            { return repl.MaxGroups }
func (c *crewSink) AtLimit() bool                        { return false }
func (c *crewSink) Commit()                              {}
func (c *crewSink) Discard()                             {}

// crewsBy returns all lists by name, with the entities replaced by their names.
func (c *crewSink) crewsBy() crews {
	all := crews{}
	for at, list := range c.lists {
		for _, to := range list {
			name := repl.NoSlot
			if to != repl.NoSlot {
				name = c.names[to]
			}
			all[c.names[at]] = append(all[c.names[at]], name)
		}
	}
	return all
}

// A group can refer to entities that were born elsewhere, and to those in its values, as far as a
// message allows. All of them arrive. A group with more is refused as too large, and nothing of it
// is sent.
func TestAGroupOfManyReferencesArrivesWholeOrIsRefused(t *testing.T) {
	const first = 10_000 // of the entities that are referred to
	refused := 0
	for _, c := range []struct{ members, refs int }{
		{1, 0},
		{1, 1},
		{100, 100},
		{repl.MaxMembers, 0},
		{repl.MaxMembers - 1, 1},
		{repl.MaxMembers, 1},
		{repl.MaxMembers, 2},
		{1, repl.MaxMembers - 2},
		{1, repl.MaxMembers - 1},
		{1, repl.MaxMembers},
		{1, repl.MaxMembers + 1},
		{1, 7000},
		{1, repl.MaxGroupRefs - 2},
		{1, repl.MaxGroupRefs - 1},
		{1, repl.MaxGroupRefs},
		{1, 2 * repl.MaxGroupRefs},
	} {
		t.Run(fmt.Sprintf("%d and %d", c.members, c.refs), func(t *testing.T) {
			source := crews{}
			w := sender.NewWorld(source, 2)
			p, sink := w.NewPeer(), &crewSink{lists: map[repl.Slot][]repl.Slot{}}
			copied := receiver.New(sink, 2)
			carry := func() {
				for _, m := range messages(p, 0) {
					require.NoError(t, copied.HandleActions(m))
				}
			}
			tick(w, func() {
				for i := range c.refs {
					w.Spawn(first+repl.Slot(i), set.MaskOf(0))
					source[0] = append(source[0], first+repl.Slot(i))
				}
			})
			carry()
			tick(w, func() {
				for s := range repl.Slot(c.members) {
					w.SpawnAt(s, set.MaskOf(0), group.Place{Private: true})
				}
			})
			tick(w, func() {
				w.Reshape(0, set.MaskOf(1), set.Mask{})
				for s := range repl.Slot(c.members) {
					w.Move(s, group.Place{Name: 1, Private: true})
				}
			})
			p.Show(0)
			tick(w, func() {})
			carry()
			if w.Stats().TooLarge > 0 {
				refused++
				slot, ok := w.PollRefused()
				assert.True(t, ok)
				assert.Zero(t, slot)
				assert.Len(t, sink.names, c.refs)
				return
			}
			require.Len(t, sink.names, c.refs+c.members)
			want := crews{}
			if c.refs > 0 {
				want[0] = source[0]
			}
			require.True(t, maps.EqualFunc(want, sink.crewsBy(), slices.Equal), "all entities that the values hold")
			assert.Less(t, c.members+c.refs, repl.MaxGroupRefs)
		})
	}
	assert.Equal(t, 8, refused, "those that no message has room for")
}
