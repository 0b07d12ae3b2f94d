package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fillViews makes another client see so many groups that no further view can be created, until it
// is disconnected.
func (k *relatives) fillViews() *sender.Peer {
	w, filler := k.collector.World, k.collector.World.NewPeer()
	w.Begin(k.tick)
	for i := range view.Max {
		s := repl.Slot(1000 + i)
		w.SpawnAt(s, set.Mask{}, group.Place{Private: true})
		require.True(k.t, filler.Show(s))
		comps := set.MaskOf(100)
		comps[0] |= uint64(i) << 8
		require.True(k.t, filler.SetView(s, view.Hidden{Slot: s, Comps: comps}))
	}
	w.Commit()
	return filler
}

// If no view is left that hides the private components from a client, the client does not see the
// group at all. It sees the group once a view is free.
//
// Proves: R15
func TestWithoutAViewNobodySeesTooMuch(t *testing.T) {
	k := newRelatives(t)
	k.collector.Admit(1, k.peer)
	e := k.spawn()
	body, _ := k.collector.Sent.Component(source.TypeOf[relativeBody]())
	k.collector.Override(e, body, k.collector.Visibility.Targets.Only(2))
	filler := k.fillViews()
	k.send()
	assert.Zero(t, k.applier.Replicas.Len())
	assert.NotZero(t, k.collector.Visibility.Refused.Count)

	k.collector.Override(e, body, components.Everyone)
	k.send()
	assert.Equal(t, 1, k.applier.Replicas.Len())
	k.collector.Override(e, body, k.collector.Visibility.Targets.Only(2))
	k.send()
	assert.Zero(t, k.applier.Replicas.Len(), "it was shown, and there is no room to hide a part of it")

	filler.Close()
	for range source.RetryShowing + 1 {
		k.send()
	}
	require.Equal(t, 1, k.applier.Replicas.Len())
	assert.Zero(t, k.applier.Replicas.Info[0].mask, "without what is not for it")
}
