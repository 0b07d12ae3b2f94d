package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// counted is a model that counts encodings.
type counted struct {
	*model
	encoded int
}

func (c *counted) Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable) {
	c.encoded++
	c.model.Encode(w, slot, comp, refs)
}

// multitude is a world of many entities, and peers of which one comes later than the others.
type multitude struct {
	*handles
	src   *counted
	peers []*sender.Peer
}

const many = 600

func newMultitude(shared bool) *multitude {
	m := &multitude{handles: &handles{model: newModel(3)}}
	m.model.links = true
	m.src = &counted{model: m.model}
	m.World = sender.NewWorld(m.src, 3)
	if !shared {
		m.Unshare()
	}
	m.peers = []*sender.Peer{m.NewPeer(), m.NewPeer()}
	return m
}

// send returns the messages of all peers.
func (m *multitude) send() (all [][]byte) {
	for _, p := range m.peers {
		for b := p.AppendActions(nil, 1000); len(b) > 0; b = p.AppendActions(nil, 1000) {
			p.ActionsSent(uint16(len(all)))
			all = append(all, b)
		}
	}
	return all
}

func (m *multitude) deliver() {
	for name := range uint16(100) {
		for _, p := range m.peers {
			p.HandleDelivered(name)
		}
	}
}

// play spawns and despawns many entities, most of them alike, and returns what was sent after each tick.
func (m *multitude) play() (sent [][][]byte) {
	each := func(from, to repl.Slot, do func(repl.Slot)) {
		m.step(1, func() {
			for s := from; s < to; s++ {
				do(s)
			}
		})
		sent = append(sent, m.send())
		m.deliver()
	}
	spawn := func(s repl.Slot) {
		e, at := entity{mask: set.MaskOf(0)}, group.Place{}
		e.values[0] = uint32(s)
		switch s % 100 {
		case 20:
			e.mask = set.MaskOf(0, 1)
		case 40:
			e.mask = set.MaskOf(0, linkComp)
			e.values[linkComp] = uint32(s) // the slot before
		case 60:
			at.Name = 7
		case 80:
			at.Private = true
		}
		m.model.entities[s] = e
		m.SpawnAt(s, e.mask, at)
		if s%100 == 50 {
			m.peers[0].Predict(s, true)
		}
		if s%100 == 70 {
			m.Pause(s)
		}
	}
	end := func(s repl.Slot) {
		if s%100 == 90 {
			m.Abandon(s)
		} else {
			m.Despawn(s)
		}
		delete(m.model.entities, s)
	}
	each(0, many, spawn)
	m.peers = append(m.peers, m.NewPeer())
	each(0, 0, nil)
	each(100, 500, end)
	each(100, 110, func(s repl.Slot) { // some handles are a generation ahead of others
		spawn(s)
		end(s)
	})
	each(0, 0, nil)
	each(100, 450, spawn)
	each(0, 0, nil)
	each(0, many, func(s repl.Slot) {
		if _, lives := m.model.entities[s]; lives {
			end(s)
		}
	})
	each(0, 0, nil)
	return sent
}

// The fulls and ends of many entities are the same bytes whether they are encoded once for all peers or
// for each peer, and are encoded once.
func TestSpawnsAreEncodedOnceForAllPeers(t *testing.T) {
	shared, apart := newMultitude(true), newMultitude(false)
	ours, plain := shared.play(), apart.play()
	require.Equal(t, len(plain), len(ours))
	for i := range plain {
		require.Equal(t, plain[i], ours[i], "tick %d", i)
	}
	assert.Greater(t, len(ours[0]), 4, "several messages")
	assert.Less(t, len(ours[2][0]), 200, "ends of consecutive handles take a bit each")
	assert.Less(t, shared.src.encoded, apart.src.encoded*2/3)
	for _, m := range []*multitude{shared, apart} {
		for _, p := range m.peers {
			assert.True(t, !p.ActionsDue() && p.Tombstones() == 0)
		}
	}
}

// A group that was too large is sent to no peer before its structure changes, even if its value is small by then.
func TestAGroupThatWasTooLargeIsInNoBatch(t *testing.T) {
	size := map[repl.Slot]int{0: repl.MaxGroupBytes*8 + 1}
	w := sender.NewWorld(sized{size}, 1)
	p := w.NewPeer()
	tick(w, func() { w.SpawnAt(0, set.MaskOf(0), group.Place{}) })
	require.Empty(t, p.AppendActions(nil, 1000))
	size[0] = 32
	late := w.NewPeer()
	tick(w, func() { w.Change(0, []repl.Slot{0}) })
	assert.Empty(t, late.AppendActions(nil, 1000))
}

// The ends of groups that were sent different numbers of actions are not sent together: each is acknowledged by its number.
func TestEndsOfGroupsWithOtherNumbersOfActions(t *testing.T) {
	w := sender.NewWorld(sized{}, 1)
	p := w.NewPeer()
	tick(w, func() { w.Spawn(0, set.MaskOf(0)) })
	sent := len(messages(p, 0))
	tick(w, func() { w.Spawn(1, set.MaskOf(0)); w.Reshape(0, set.MaskOf(0), set.Mask{}) })
	sent += len(messages(p, 100))
	tick(w, func() { w.Despawn(0); w.Despawn(1) })
	require.Len(t, messages(p, 200), 1)
	require.Equal(t, 2, sent)
	for _, message := range []uint16{200, 100, 0} {
		p.HandleDelivered(message)
	}
	for range 200 {
		tick(w, func() {})
	}
	tick(w, func() { w.Spawn(2, set.MaskOf(0)); w.Spawn(3, set.MaskOf(0)) })
	for s := range repl.Slot(2) {
		h, _ := p.Group(2 + s)
		assert.Less(t, h, repl.Handle(2), "their handles are free")
	}
}
