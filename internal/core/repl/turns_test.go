package repl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// If the one packet of a tick is too small for all changes, every group gets its turn, public and private ones: also if
// a limit has more room than the packet, so that it is the packet which has no room for groups that the limit lets pass.
//
// Proves: R36
func TestEveryGroupGetsItsTurnUnderPressure(t *testing.T) {
	const entities = 240
	for name, place := range map[string]func(repl.Slot) group.Place{
		"public":         func(repl.Slot) group.Place { return group.Place{} },
		"private":        func(repl.Slot) group.Place { return group.Place{Private: true} },
		"mostly public":  func(s repl.Slot) group.Place { return group.Place{Private: s%8 == 0} },
		"mostly private": func(s repl.Slot) group.Place { return group.Place{Private: s%8 != 0} },
	} {
		for _, limit := range []int{-1, 250, 400} {
			t.Run(fmt.Sprintf("%s, limit %d", name, limit), func(t *testing.T) {
				c := newCrowd(entities, 1, place)
				p, last, most := c.peers[0], map[repl.Handle]int{}, 0
				for _, s := range c.all {
					h, _ := p.Group(s)
					last[h] = 0
				}
				require.Len(t, last, entities)
				for i := range 300 {
					tick(c.World, func() { c.Change(0, c.all) })
					c.pkt++
					p.Prepare()
					p.Limit(limit)
					frame := p.AppendUpdates(nil, 200, c.pkt)
					require.LessOrEqual(t, len(frame), 200)
					for _, h := range groupsOf(t, c.Tick(), frame) {
						last[h] = i
					}
					p.HandleAcked(c.pkt)
					for _, at := range last {
						most = max(most, i-at)
					}
				}
				assert.Less(t, most, 30, "a packet takes about 40 of them")
			})
		}
	}
}

// If a tick is too small for all structure that changes, every group gets its turn: groups with low
// handles that change all the time do not keep a peer from joining.
func TestStructureTakesTurns(t *testing.T) {
	const entities, restless = 60, 30
	for name, private := range map[string]bool{"public": false, "private": true} {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(entities, 0, func(repl.Slot) group.Place { return group.Place{Private: private} })
			p := c.NewPeer()
			for _, s := range c.all {
				require.True(t, p.Show(s))
			}
			p.Join()
			one, none := set.MaskOf(0), set.Mask{}
			for i := range entities {
				tick(c.World, func() {
					for _, s := range c.all[:restless] {
						if i%2 == 0 {
							c.Reshape(s, none, one)
						} else {
							c.Reshape(s, one, none)
						}
					}
				})
				message := p.AppendActions(nil, 100)
				require.NotEmpty(t, message)
				require.Less(t, len(message), 110)
				p.ActionsSent(1)
				p.HandleDelivered(1)
			}
			assert.Zero(t, p.Joining().Of-p.Joining().Have, "groups that never found room")
		})
	}
}

// Units and other actions do not keep each other from being sent either, if a tick has room for one message.
func TestUnitsAndOtherActionsTakeTurns(t *testing.T) {
	const groups = 120
	bits := map[repl.Slot]int{}
	w := sender.NewWorld(sized{bits}, 1)
	p := w.NewPeer()
	place := func(g int) group.Place { return group.Place{Name: uint32(g) + 1} }
	tick(w, func() {
		for s := range 2 * groups {
			bits[repl.Slot(s)] = 32
			w.SpawnAt(repl.Slot(s), set.MaskOf(0), place(s/2))
		}
	})
	deliver(p, 0)
	sent, longest := map[repl.Handle]int{}, 0
	for i := range 200 {
		tick(w, func() {
			for g := 0; g < groups; g += 3 { // of three groups, two exchange members
				w.Reshape(repl.Slot(2*g), set.MaskOf(0), set.Mask{})
				w.Move(repl.Slot(2*g+2), place(g+1+(i+1)%2))
				w.Move(repl.Slot(2*g+4), place(g+1+i%2))
			}
		})
		for _, s := range said(t, p.AppendActions(nil, 300)) {
			longest = max(longest, i-sent[s.Group])
			sent[s.Group] = i
		}
		p.ActionsSent(1)
		p.HandleDelivered(1)
	}
	require.Len(t, sent, groups)
	assert.Less(t, longest, 30, "ticks between two actions of a group, of which a message has about twelve")
}
