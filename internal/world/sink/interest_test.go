package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// Rows are reused, the smallest first, and a new owner of a row inherits nothing.
func TestRowsOfClients(t *testing.T) {
	i := source.NewInterest()
	one, two := i.Join(7), i.Join(8)
	assert.Equal(t, []int{0, 1}, []int{one, two})
	i.Relevance().Set(one, 3, interest.Shown)
	i.Relevance().AddClient(5, one)
	_, before := i.ClientOf(one)
	i.Leave(one)
	_, ok := i.Row(7)
	assert.False(t, ok)
	assert.Equal(t, one, i.Join(7))
	client, after := i.ClientOf(one)
	assert.EqualValues(t, 7, client)
	assert.Greater(t, after, before, "it is another connection")
	assert.Equal(t, interest.Unset, i.Relevance().Setting(one, 3))
	assert.False(t, i.Shares(5, 7))
	assert.Equal(t, 2, i.Rows())
}

// The number of an entity is its id, and a reused id inherits nothing from its previous entity,
// even if the end of that entity was missed.
func TestNumbersOfEntities(t *testing.T) {
	w := ecs.NewWorld()
	i := source.NewInterest()
	row := i.Join(7)
	w.NewEntity()
	e := w.NewEntity()
	assert.EqualValues(t, e.ID(), i.Number(e))
	i.Relevance().Set(row, i.Number(e), interest.Shown)
	assert.Equal(t, interest.Shown, i.Relevance().Setting(row, i.Number(e)))
	w.RemoveEntity(e)
	successor := w.NewEntity()
	assert.Equal(t, e.ID(), successor.ID())
	_, known := i.Known(successor)
	assert.False(t, known)
	assert.Equal(t, interest.Unset, i.Relevance().Setting(row, i.Number(successor)))
	i.Relevance().Set(row, i.Number(successor), interest.Shown)
	i.End(e)
	assert.Equal(t, interest.Shown, i.Relevance().Setting(row, i.Number(successor)), "the end of another")
	i.End(successor)
	assert.Equal(t, interest.Unset, i.Relevance().Setting(row, int(successor.ID())))
}

// countingGroups counts the calls of its methods.
type countingGroups struct {
	source.PeerGroups
	calls *int
}

func (c countingGroups) Show(s repl.Slot) bool { *c.calls++; return c.PeerGroups.Show(s) }

func (c countingGroups) Hide(s repl.Slot) { *c.calls++; c.PeerGroups.Hide(s) }

func (c countingGroups) Retain(s repl.Slot, h ...view.Hidden) bool {
	*c.calls++
	return c.PeerGroups.Retain(s, h...)
}

func (c countingGroups) SetView(s repl.Slot, h ...view.Hidden) bool {
	return c.PeerGroups.SetView(s, h...)
}

// crowdedGame is a world of many entities with relevance and a few clients. It counts how often
// visibility notifies a client about a group.
type crowdedGame struct {
	*relatives
	all   []ecs.Entity
	calls int
}

const crowdedClients = 5

func newCrowdedGame(t *testing.T, group components.Group, each func(*components.Targets) components.Replicate) *crowdedGame {
	g := &crowdedGame{relatives: newRelatives(t)}
	for id := range entangle.ClientID(crowdedClients) {
		peer := g.collector.World.NewPeer()
		g.collector.Admit(id+1, peer)
		g.collector.Visibility.Clients[id].Peer = countingGroups{peer, &g.calls}
	}
	for i := range 300 {
		e := g.spawn()
		r := each(g.collector.Visibility.Targets)
		r.Group = group * components.Group(1+i%50)
		*(*components.Replicate)(g.world.Get(e, g.marker)) = r
		g.all = append(g.all, e)
	}
	g.observe()
	return g
}

// tells returns the number of notifications in the tick after a change.
func (g *crowdedGame) tells(do func(i *source.Interest, r *interest.Relevance)) int {
	g.calls = 0
	do(g.collector.Interest(), g.collector.Interest().Relevance())
	g.observe()
	return g.calls
}

// A tick examines only pairs of client and group in which something changed.
func TestVisibilityFollowsChanges(t *testing.T) {
	for _, group := range []components.Group{0, 1} {
		g := newCrowdedGame(t, group, func(*components.Targets) components.Replicate {
			return components.Replicate{Relevance: components.ByInterest}
		})
		nothing := func(*source.Interest, *interest.Relevance) {}
		assert.Zero(t, g.tells(nothing))
		assert.Equal(t, 1, g.tells(func(i *source.Interest, r *interest.Relevance) { r.Set(2, i.Number(g.all[7]), interest.Shown) }))
		assert.Zero(t, g.tells(nothing))
		assert.Equal(t, 5, g.tells(func(i *source.Interest, r *interest.Relevance) {
			r.AddClient(9, 0)
			r.AddClient(9, 4)
			for _, n := range []int{10, 11} {
				r.AddEntity(9, i.Number(g.all[n]))
			}
			r.RemoveEntity(9, i.Number(g.all[11]))
			r.Set(1, i.Number(g.all[12]), interest.Shown)
		}), "two entities for two clients, of which one has left, and one for another client")
		assert.Zero(t, g.tells(nothing))
		assert.Empty(t, g.collector.Interest().Relevance().Moves())
	}
}

// If a room is a target, a client that enters it has the entities of that target examined.
func TestVisibilityFollowsMovesBetweenRooms(t *testing.T) {
	count := 0
	g := newCrowdedGame(t, 0, func(targets *components.Targets) components.Replicate {
		if count++; count%100 == 0 {
			return components.Replicate{Target: targets.Room(4)}
		}
		return components.Replicate{Target: targets.Room(3)}
	})
	assert.Equal(t, 3, g.tells(func(_ *source.Interest, r *interest.Relevance) { r.AddClient(4, 1) }))
	assert.Equal(t, 3, g.tells(func(_ *source.Interest, r *interest.Relevance) { r.RemoveClient(4, 1) }))
	assert.Equal(t, 297, g.tells(func(_ *source.Interest, r *interest.Relevance) { r.AddClient(3, 1) }))
	for _, e := range g.all {
		(*components.Replicate)(g.world.Get(e, g.marker)).Target = components.Nobody
	}
	g.observe()
	assert.Zero(t, g.tells(func(_ *source.Interest, r *interest.Relevance) { r.RemoveClient(3, 1) }))
	assert.Empty(t, g.collector.Visibility.Assigned.Rooms.Heads)
}
