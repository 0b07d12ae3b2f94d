package sink

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreteller is a client of a world of relations over a perfect line. Its sink holds the predicted set as
// the client received it.
type foreteller struct {
	id       entangle.ClientID
	peer     *sender.Peer
	receiver *receiver.Receiver
	packet   uint16
	sink     *countingSink
}

// countingSink is a sink that keeps the predicted set, and counts its changes.
type countingSink struct {
	*Applier
	predicted map[repl.Slot]bool
	calls     int
}

func (h *countingSink) Predict(s repl.Slot, on bool) {
	if h.predicted[s] != on {
		h.predicted[s] = on
		h.calls++
	}
}

func (h *countingSink) Despawn(s repl.Slot) {
	delete(h.predicted, s)
	h.Applier.Despawn(s)
}

func (h *countingSink) Orphan(s repl.Slot) {
	delete(h.predicted, s)
	h.Applier.Orphan(s)
}

// foreseeing is a world of relations with several clients.
type foreseeing struct {
	*relatives
	control ecs.ID
	clients []*foreteller
}

func newForeseeing(t testing.TB, clients int) *foreseeing {
	f := &foreseeing{relatives: newRelatives(t)}
	f.control = ecs.ComponentID[components.ControlledBy](f.world)
	for id := range clients {
		f.connect(entangle.ClientID(id + 1))
	}
	return f
}

func (f *foreseeing) connect(id entangle.ClientID) *foreteller {
	far := ecs.NewWorld(1024, 4)
	c := &foreteller{id: id, peer: f.collector.World.NewPeer()}
	c.sink = &countingSink{
		Applier:   NewApplier(&far, event.NewHub(), f.infos, func(ecs.Entity) {}, func(ecs.Entity) {}),
		predicted: map[repl.Slot]bool{},
	}
	c.receiver = receiver.New(c.sink, len(f.infos))
	f.collector.Admit(id, c.peer)
	f.clients = append(f.clients, c)
	return c
}

func (f *foreseeing) disconnect(i int) {
	f.collector.Dismiss(f.clients[i].peer)
	f.clients[i].peer.Close()
	f.clients = append(f.clients[:i], f.clients[i+1:]...)
}

// tick sends a tick to all clients.
func (f *foreseeing) tickAll() {
	f.observe()
	for _, c := range f.clients {
		c.deliver(f.t, f.tick)
	}
}

func (c *foreteller) deliver(t testing.TB, tick entangle.Tick) {
	for range 2 { // for records held back until a despawn is acknowledged
		for b := c.peer.AppendActions(nil, 5000); len(b) > 0; b = c.peer.AppendActions(nil, 5000) {
			c.peer.ActionsSent(c.packet)
			require.NoError(t, c.receiver.HandleActions(b))
			c.peer.HandleDelivered(c.packet)
			c.packet++
		}
	}
	c.peer.Prepare()
	for b := c.peer.AppendUpdates(nil, 1000, c.packet); len(b) > 0; b = c.peer.AppendUpdates(nil, 1000, c.packet) {
		require.NoError(t, c.receiver.HandleUpdates(tick, b))
		c.peer.HandleAcked(c.packet)
		c.packet++
	}
	if b := c.peer.AppendMark(nil, 1000); len(b) > 0 {
		require.NoError(t, c.receiver.HandleUpdates(tick, b))
	}
}

// predicts reports whether a client predicts an entity, according to the records it received.
func (f *foreseeing) predicts(c *foreteller, e ecs.Entity) bool {
	s, ok := f.collector.Slot(e)
	if !ok {
		return false
	}
	id, ok := c.peer.ID(s)
	if !ok {
		return false
	}
	slot, ok := c.receiver.Slot(id)
	return ok && c.sink.predicted[slot]
}

// clientsOf returns the ids of the clients that predict an entity.
func (f *foreseeing) clientsOf(e ecs.Entity) (all []int) {
	for _, c := range f.clients {
		if f.predicts(c, e) {
			all = append(all, int(c.id))
		}
	}
	return all
}

func (f *foreseeing) replicate(e ecs.Entity) *components.Replicate {
	return (*components.Replicate)(f.world.Get(e, f.marker))
}

func (f *foreseeing) give(e ecs.Entity, client entangle.ClientID) {
	if !f.world.Has(e, f.control) {
		f.world.Add(e, f.control)
	}
	*(*components.ControlledBy)(f.world.Get(e, f.control)) = components.ControlledBy{Client: client}
}

// The predicted set of a client follows Replicate.Predict, from the tick on in which it, the owner,
// or the members of a room change. This holds for clients that connect later or again, too.
//
// Proves: B25
func TestPredictingClientsFollowTheTarget(t *testing.T) {
	f := newForeseeing(t, 3)
	rooms, targets := f.collector.Interest().Relevance(), f.collector.Visibility.Targets
	e := f.spawn()
	expect := func(what string, ids ...int) {
		t.Helper()
		f.tickAll()
		assert.Equal(t, ids, f.clientsOf(e), what)
	}
	expect("nobody, when nothing is said")
	f.replicate(e).Predict = components.Everyone
	expect("everyone", 1, 2, 3)
	f.connect(4)
	expect("later clients", 1, 2, 3, 4)
	f.replicate(e).Predict = components.Owner
	expect("the owner, which is nobody")
	f.give(e, 2)
	expect("the owner", 2)
	f.give(e, 3)
	expect("another owner", 3)
	f.replicate(e).Predict = components.NotOwner
	expect("all but the owner", 1, 2, 4)
	f.replicate(e).Predict = targets.Only(1, 9)
	expect("a set", 1)
	f.replicate(e).Predict = targets.Room(5)
	expect("a room, which is empty")
	rooms.AddClient(5, 1)
	rooms.AddClient(5, 3)
	expect("a room", 2, 4)
	rooms.RemoveClient(5, 1)
	expect("without the one that left", 4)
	f.disconnect(3)
	expect("without any client")
	rooms.AddClient(5, f.clients[0].rowOf(f))
	expect("another", 1)
	f.replicate(e).Predict = components.Everyone
	expect("everyone again", 1, 2, 3)
	f.replicate(e).Target = targets.Only(1, 2)
	expect("those that are shown it", 1, 2)
	f.replicate(e).Target = components.Everyone
	expect("more of them", 1, 2, 3)
	f.replicate(e).Group = 7
	other := f.spawn()
	*f.replicate(other) = components.Replicate{Group: 7, Predict: targets.Only(2)}
	expect("in a group with another", 1, 2, 3)
	assert.Equal(t, []int{2}, f.clientsOf(other))
	f.world.Remove(e, f.marker)
	expect("nobody predicts what is paused")
	f.world.Add(e, f.marker)
	*f.replicate(e) = components.Replicate{Group: 7, Predict: components.Everyone}
	expect("and then again", 1, 2, 3)
	f.world.RemoveEntity(e)
	e = f.spawn()
	f.replicate(e).Predict = components.Everyone
	expect("another in its place", 1, 2, 3)
}

func (c *foreteller) rowOf(f *foreseeing) int {
	row, _ := f.collector.Interest().Row(c.id)
	return row
}

// A child is predicted by the clients that predict its parent, the parent's owner included, unless
// it sets another target.
//
// Proves: B25
func TestChildrenArePredictedAsTheirParents(t *testing.T) {
	f := newForeseeing(t, 3)
	root := f.spawn()
	child := f.child(root)
	grandchild := f.child(child)
	f.give(root, 1)
	f.give(child, 2)
	f.replicate(root).Predict = components.Owner
	f.tickAll()
	assert.Equal(t, [][]int{{1}, {1}, {1}}, [][]int{f.clientsOf(root), f.clientsOf(child), f.clientsOf(grandchild)})
	f.replicate(child).Predict = components.Owner
	f.tickAll()
	assert.Equal(t, [][]int{{1}, {2}, {2}}, [][]int{f.clientsOf(root), f.clientsOf(child), f.clientsOf(grandchild)})
	f.give(child, 3)
	f.tickAll()
	assert.Equal(t, [][]int{{1}, {3}, {3}}, [][]int{f.clientsOf(root), f.clientsOf(child), f.clientsOf(grandchild)})
	f.replicate(child).Predict = components.Default
	f.replicate(root).Predict = components.NotOwner
	f.tickAll()
	assert.Equal(t, [][]int{{2, 3}, {2, 3}, {2, 3}}, [][]int{f.clientsOf(root), f.clientsOf(child), f.clientsOf(grandchild)})
	f.world.Remove(grandchild, f.childOf)
	f.tickAll()
	assert.Equal(t, [][]int{{2, 3}, {2, 3}, nil}, [][]int{f.clientsOf(root), f.clientsOf(child), f.clientsOf(grandchild)})
}

// Without prediction, no state is kept for it and nothing is sent.
func TestNoPredictionIsNoCost(t *testing.T) {
	f := newForeseeing(t, 2)
	for range 100 {
		f.spawn()
	}
	f.tickAll()
	assert.Nil(t, f.collector.Visibility.Predictions.Of)
	assert.Nil(t, f.collector.Visibility.Predictions.Some)
	assert.Zero(t, f.clients[0].sink.calls)
}

// randomPredictions randomly changes everything that determines the predicted sets.
type randomPredictions struct {
	*foreseeing
	rng  *rand.Rand
	all  []ecs.Entity
	room map[entangle.ClientID]bool // clients in the only room
}

func (r *randomPredictions) target() components.Target {
	sets, client := r.collector.Visibility.Targets, entangle.ClientID(1+r.rng.IntN(5))
	return []components.Target{
		components.Default, components.Default, components.Everyone, components.Nobody, components.Owner, components.NotOwner,
		components.Server, sets.Only(client, client+1), sets.Except(client), sets.Room(1),
	}[r.rng.IntN(10)]
}

func (r *randomPredictions) step() {
	r.removeDespawned()
	if len(r.all) < 4 || len(r.all) < 16 && r.rng.IntN(4) == 0 {
		r.all = append(r.all, r.spawn())
		r.replicate(r.all[len(r.all)-1]).Predict = r.target()
	}
	i := r.rng.IntN(len(r.all))
	e := r.all[i]
	switch r.rng.IntN(14) {
	case 0, 1, 2:
		if r.world.Has(e, r.marker) {
			r.replicate(e).Predict = r.target()
		}
	case 3:
		if r.world.Has(e, r.marker) {
			r.replicate(e).Target = r.target()
		}
	case 4, 5:
		r.give(e, entangle.ClientID(r.rng.IntN(5)))
	case 6:
		if r.world.Has(e, r.childOf) {
			r.world.Remove(e, r.childOf)
		} else if above := r.all[r.rng.IntN(i+1)]; above != e {
			r.relate(e, r.childOf, above) // earlier entities are never its descendants
		}
	case 7:
		if r.world.Has(e, r.marker) {
			r.world.Remove(e, r.marker)
		} else {
			r.world.Add(e, r.marker)
		}
	case 8:
		if r.world.Has(e, r.marker) {
			r.replicate(e).Group = components.Group(r.rng.IntN(3))
		}
	case 9:
		if r.rng.IntN(3) == 0 {
			r.world.RemoveEntity(e)
		}
	case 10, 11:
		r.walk()
	case 12:
		r.comeOrGo()
	default:
		(*relativeBody)(r.world.Get(e, r.body)).N++
	}
}

// walk makes a client enter or leave the room.
func (r *randomPredictions) walk() {
	c := r.clients[r.rng.IntN(len(r.clients))]
	rooms, row := r.collector.Interest().Relevance(), c.rowOf(r.foreseeing)
	if r.room[c.id] {
		rooms.RemoveClient(1, row)
	} else {
		rooms.AddClient(1, row)
	}
	r.room[c.id] = !r.room[c.id]
}

// comeOrGo connects a client, possibly one that was connected before, or disconnects one.
func (r *randomPredictions) comeOrGo() {
	if len(r.clients) > 3 {
		i := r.rng.IntN(len(r.clients))
		delete(r.room, r.clients[i].id)
		r.disconnect(i)
		return
	}
	for id := entangle.ClientID(1); ; id++ {
		taken := false
		for _, c := range r.clients {
			taken = taken || c.id == id
		}
		if !taken {
			r.connect(id)
			return
		}
	}
}

// names reports whether a target of an entity names a client, by a reference model.
func (r *randomPredictions) names(target components.Target, e ecs.Entity, client entangle.ClientID) bool {
	owner := entangle.Nobody
	if r.world.Has(e, r.control) {
		owner = (*components.ControlledBy)(r.world.Get(e, r.control)).Client
	}
	switch room, is := target.Room(); {
	case is:
		return room == 1 && r.room[client]
	case target == components.Owner:
		return owner == client
	case target == components.NotOwner:
		return owner != client
	default:
		return r.collector.Visibility.Targets.Contains(target, client)
	}
}

// should reports whether a client is to predict a visible entity, by the reference model.
func (r *randomPredictions) should(e ecs.Entity, client entangle.ClientID) bool {
	for {
		if target := r.replicate(e).Predict; target != components.Default {
			return r.names(target, e, client)
		}
		if !r.world.Has(e, r.childOf) {
			return false
		}
		above := r.world.Relations().Get(e, r.childOf)
		if above.IsZero() || !r.world.Alive(above) || !r.world.Has(above, r.marker) {
			return false
		}
		e = above
	}
}

// removeDespawned removes despawned entities from the model: children despawn with their parents.
func (r *randomPredictions) removeDespawned() {
	r.all = slices.DeleteFunc(r.all, func(e ecs.Entity) bool { return !r.world.Alive(e) })
}

func (r *randomPredictions) check() {
	r.removeDespawned()
	for _, e := range r.all {
		s, tracked := r.collector.Slot(e)
		for _, c := range r.clients {
			should := tracked && r.world.Has(e, r.marker) && c.peer.Finds(s) && r.should(e, c.id)
			require.Equalf(r.t, should, r.predicts(c, e), "%v at client %d", e, c.id)
		}
	}
	for _, c := range r.clients {
		if tick, ok := c.receiver.ConfirmedTick(); ok && slices.ContainsFunc(r.all, func(e ecs.Entity) bool { return r.predicts(c, e) }) {
			require.Equal(r.t, r.tick, tick, "nothing is in flight")
		}
	}
}

// Whatever changes in targets, owners, hierarchies, groups and rooms, and whichever clients connect
// or disconnect, each client knows in the same tick which of its visible entities it predicts.
//
// Proves: B25
func TestRandomPredictionTargets(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestRandomPredictionTargets/seed=%d$'", seed)
				}
			}()
			r := &randomPredictions{foreseeing: newForeseeing(t, 2), rng: rand.New(rand.NewPCG(seed, 7)), room: map[entangle.ClientID]bool{}}
			for range 200 {
				for range r.rng.IntN(4) {
					r.step()
				}
				r.tickAll()
				r.check()
			}
		})
	}
}
