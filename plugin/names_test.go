package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// spawnFor spawns an entity that only the clients of a target can see.
func (g *game) spawnFor(target components.Target, n name) ecs.Entity {
	m := generic.NewMap2[name, components.Replicate](g.world)
	return m.NewWith(&n, &components.Replicate{Target: target})
}

// retarget changes the target of an entity.
func (g *game) retarget(e ecs.Entity, target components.Target) {
	at[components.Replicate](g.world, e).Target = target
}

// A message names an entity that only some clients can see. Those clients receive their own entity,
// in both directions. The others receive no entity, without delay.
//
// Proves: P17, G5
func TestAMessageAboutAnEntityThatNotAllSee(t *testing.T) {
	p := newParty(t)
	p.spawnFor(p.targets.Only(2), name{1}) // so that the clients have different ids for the next entity
	e := p.spawnFor(p.targets.Only(1, 2), name{7})
	require.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: "look", Who: e}))
	p.run(10)
	for i, sees := range []bool{true, true, false} {
		require.Len(t, p.guests[i].heard, 1, "it is not held back")
		who := p.guests[i].heard[0].Message.Who
		require.Equal(t, sees, !who.IsZero(), i)
		if sees {
			assert.Equal(t, name{7}, *at[name](p.clients[i].world, who))
		}
	}
	require.NoError(t, p.guests[1].send.Send(components.Everyone, chat{Text: "seen", Who: p.guests[1].heard[0].Message.Who}))
	p.run(10)
	require.Len(t, p.ears.heard, 1)
	assert.Equal(t, e, p.ears.heard[0].Message.Who)
	require.Len(t, p.guests[0].heard, 2)
	assert.Equal(t, p.guests[0].heard[0].Message.Who, p.guests[0].heard[1].Message.Who)
	require.Len(t, p.guests[2].heard, 2)
	assert.True(t, p.guests[2].heard[1].Message.Who.IsZero())

	p.retarget(e, p.targets.Only(3))
	p.run(10)
	require.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: "now", Who: e}))
	p.run(10)
	assert.True(t, p.guests[0].heard[2].Message.Who.IsZero())
	assert.Equal(t, name{7}, *at[name](p.clients[2].world, p.guests[2].heard[2].Message.Who))
}

// An entity in a resource is the zero entity on a client that cannot see it. The reference is set
// each time that the entity becomes visible.
//
// Proves: R29
func TestAResourceAboutAnEntityThatNotAllSee(t *testing.T) {
	s := newStage[board](t, 2)
	targets := ecs.GetResource[components.Targets](s.world)
	s.spawnFor(targets.Only(2), name{1})
	e := s.spawnFor(targets.Only(1, 2), name{7})
	ecs.AddResource(s.world, &board{Leader: e, Team: []ecs.Entity{e}})
	plugin.ReplicateResource[board](s.world, components.Everyone)
	leads := func(i int) bool {
		h := s.heard[i]
		who := h.value().Leader
		if !h.client.world.Alive(who) || who.IsZero() {
			return false
		}
		assert.Equal(t, name{7}, *at[name](h.client.world, who))
		assert.Equal(t, []ecs.Entity{who}, h.value().Team)
		return true
	}
	for range 3 {
		s.run(100)
		assert.Equal(t, [2]bool{true, true}, [2]bool{leads(0), leads(1)})
		s.retarget(e, targets.Only(1))
		s.run(100)
		assert.Equal(t, [2]bool{true, false}, [2]bool{leads(0), leads(1)})
		s.retarget(e, targets.Only(2))
		s.run(3)
		s.retarget(e, targets.Only(1))
		s.spawnFor(targets.Only(1, 2), name{8})
		s.run(100)
		assert.Equal(t, [2]bool{true, false}, [2]bool{leads(0), leads(1)})
		s.retarget(e, components.Everyone)
	}
	var counts [2]uint64
	for i, h := range s.heard {
		counts[i] = h.client.Stats().Resources.Received
	}
	s.run(100)
	for i, h := range s.heard {
		assert.Equal(t, counts[i], h.client.Stats().Resources.Received, "nothing more is sent")
	}
	plugin.ReplicateResource[board](s.world, components.Nobody)
	s.run(10)
	assert.Nil(t, s.heard[0].value())
}

// A resource is resent because of an entity in it only when a client sees that entity for the first
// time. It is not resent when the entity becomes invisible, is visible again, or despawns: the
// client itself removes and restores the reference. An entity that reuses the network id does not
// appear in the resource.
//
// Proves: R29, V13
func TestAResourceIsSentOnceForAnEntityInIt(t *testing.T) {
	s := newStage[board](t, 1)
	targets := ecs.GetResource[components.Targets](s.world)
	all, plain, some := s.spawn(spot{}, name{5}), s.world.NewEntity(), s.spawnFor(components.Nobody, name{7})
	ecs.AddResource(s.world, &board{Team: []ecs.Entity{all, plain, some}})
	plugin.ReplicateResource[board](s.world, components.Everyone)
	h, sent, updated := s.heard[0], uint64(1), 0
	shows := func(want ...uint32) {
		t.Helper()
		s.run(100)
		got := make([]uint32, len(want))
		for i, e := range h.value().Team {
			if !e.IsZero() {
				got[i] = at[name](h.client.world, e).ID
			}
		}
		assert.Equal(t, want, got)
		assert.Equal(t, [3]int{1, updated, 0}, h.counts())
		assert.Equal(t, sent, s.server.Stats().Resources.Sent)
		updated++
	}
	replicate := func(e ecs.Entity, n name) {
		s.world.Add(e, ecs.ComponentID[components.Replicate](s.world), ecs.ComponentID[name](s.world))
		*at[name](s.world, e) = n
	}
	others := func() {
		for range 60 {
			s.spawnFor(targets.Only(1), name{8})
			s.spawn(spot{}, name{9})
			s.run(5)
		}
		updated--
	}
	shows(5, 0, 0)
	sent++
	replicate(plain, name{6}) // visible to all
	shows(5, 6, 0)
	s.world.RemoveEntity(all)
	shows(0, 6, 0)
	others()
	shows(0, 6, 0)
	sent++
	s.retarget(some, targets.Only(1))
	shows(0, 6, 7)
	s.retarget(some, components.Nobody)
	shows(0, 6, 0)
	s.retarget(some, targets.Only(1))
	shows(0, 6, 7)
	s.world.RemoveEntity(some)
	shows(0, 6, 0)
	s.world.RemoveEntity(plain)
	shows(0, 0, 0)
	others()
	shows(0, 0, 0)
	late := s.enter(2)
	s.run(60)
	assert.Equal(t, make([]ecs.Entity, 3), late.value().Team)
}
