package repl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// scene is a small world in which a peer may see everything except the dark part.
type scene struct {
	w     *sender.World
	p     *sender.Peer
	other *sender.Peer // nil, or a peer that acknowledges everything at once
	dark  bool         // the dark part happens
	holds bool         // nothing that the peer is sent is acknowledged
	held  []uint16
	name  uint16
	told  []string
}

func (s *scene) inDark(do func()) {
	if s.dark {
		do()
	}
}

func (s *scene) tick(change func()) {
	tick(s.w, change)
	said := ""
	for b := s.p.AppendActions(nil, 300); len(b) > 0; b = s.p.AppendActions(nil, 300) {
		s.name++
		s.p.ActionsSent(s.name)
		s.held = append(s.held, s.name)
		said += fmt.Sprintf(" action %x", b)
	}
	s.p.Prepare()
	s.name++
	if b := s.p.AppendUpdates(nil, 1000, s.name); len(b) > 0 {
		said += fmt.Sprintf(" update %x", b)
	}
	for s.other != nil && len(s.other.AppendActions(nil, 300)) > 0 {
		s.other.ActionsSent(1)
		s.other.HandleDelivered(1)
	}
	if !s.holds {
		s.p.HandleAcked(s.name)
		for _, m := range s.held {
			s.p.HandleDelivered(m)
		}
		s.held = nil
	}
	s.told = append(s.told, fmt.Sprintf("tick %d:%s", s.w.Tick(), said))
}

func (s *scene) rest(ticks int) {
	for range ticks {
		s.tick(func() {})
	}
}

// insert adds components to an entity.
func (s *scene) insert(slot repl.Slot, comps ...int) {
	s.w.Reshape(slot, set.MaskOf(comps...), set.Mask{})
}

// without returns a view that hides components of an entity.
func without(slot repl.Slot, comps ...int) view.Hidden {
	return view.Hidden{Slot: slot, Comps: set.MaskOf(comps...)}
}

// begin shows the peer two entities in a den.
func (s *scene) begin() {
	s.tick(func() {
		s.w.SpawnAt(0, set.MaskOf(0, 2), den)
		s.w.SpawnAt(1, set.MaskOf(0, 2), den)
		s.p.Show(0)
	})
	s.rest(3)
}

// A peer keeps what it is shown, and what it was sent of a group that it now retains, except the
// parts that it must lose.
//
// Proves: V11
func TestWhatAPeerKeeps(t *testing.T) {
	w := sender.NewWorld(sized{}, 6)
	s := &scene{w: w, p: w.NewPeer()}
	keeps := func() (all []repl.Slot) {
		for slot := range repl.Slot(4) {
			if s.p.Keeps(slot) {
				all = append(all, slot)
			}
		}
		return all
	}
	require.Empty(t, keeps())
	s.begin()
	require.Equal(t, []repl.Slot{0, 1}, keeps(), "it is shown them")
	s.tick(func() { s.p.Retain(0) })
	require.Equal(t, []repl.Slot{0, 1}, keeps(), "it retains them")
	s.tick(func() { w.SpawnAt(2, set.MaskOf(0), den) })
	require.Equal(t, []repl.Slot{0, 1}, keeps(), "it was not sent one that came")
	s.tick(func() { w.Pause(0) })
	tick(w, func() { s.p.Retain(0, view.Hidden{Slot: 1, Whole: true}) })
	require.Equal(t, []repl.Slot{0}, keeps(), "it is to lose one")
	s.rest(3)
	require.Equal(t, []repl.Slot{0}, keeps())
	s.tick(func() { s.p.Hide(0) })
	require.Empty(t, keeps())
}

// A private group that is hidden before it was sent does not keep its handle for long.
func TestWhatIsHiddenBeforeItIsSentTakesNoHandle(t *testing.T) {
	w := sender.NewWorld(sized{}, 6)
	s := &scene{w: w, p: w.NewPeer()}
	s.tick(func() {
		for slot := range repl.Slot(300) {
			w.SpawnAt(slot, set.MaskOf(0), group.Place{Private: true})
		}
	})
	for slot := range repl.Slot(300) {
		s.tick(func() { s.p.Show(slot); s.p.Hide(slot) })
	}
	s.rest(200)
	s.tick(func() { s.p.Show(299) })
	h, ok := s.p.Group(299)
	require.True(t, ok)
	require.Less(t, int(h-repl.Private), 150)
}

// In each of these cases, something hidden once changed a byte. Here each happens alone.
//
// Proves: V13
func TestWhatIsHiddenChangesNoByteInSmallWorlds(t *testing.T) {
	for name, script := range map[string]func(s *scene){
		"a component comes before its group is retained": func(s *scene) {
			s.begin()
			s.tick(func() { s.inDark(func() { s.insert(0, 1) }); s.p.Retain(0) })
			s.tick(func() { s.p.Retain(0, without(0, 1)) })
		},
		"a retained group changes while its window of actions is full": func(s *scene) {
			s.begin()
			s.p.Predict(0, true)
			s.tick(func() { s.w.Spawn(2, set.MaskOf(0)) })
			s.p.Predict(2, true)
			s.rest(3)
			s.holds = true
			for c := range repl.MaxActionsInFlight - 1 {
				s.tick(func() { s.insert(0, 3+c) })
			}
			s.tick(func() { s.p.Retain(0) }) // which ends the prediction
			s.tick(func() { s.inDark(func() { s.w.Reshape(0, set.Mask{}, set.MaskOf(5)) }) })
			s.tick(func() { s.w.Change(0, []repl.Slot{2}) })
			s.holds = false
			s.rest(3)
		},
		"several components come before their group is retained": func(s *scene) {
			s.begin()
			s.tick(func() {
				s.inDark(func() { s.insert(0, 1); s.insert(1, 1, 4); s.insert(0, 3, 5) })
				s.p.Retain(0)
			})
			s.tick(func() { s.p.Retain(0, without(0, 1, 3, 5), without(1, 1, 4)) })
		},
		"a component comes a second time before its group is retained": func(s *scene) {
			s.begin()
			s.tick(func() {
				s.inDark(func() {
					s.insert(0, 1)
					s.w.Reshape(0, set.Mask{}, set.MaskOf(1))
					s.insert(0, 1)
				})
				s.p.Retain(0)
			})
			s.tick(func() { s.p.Retain(0, without(0, 1)) })
		},
		"a component comes while its group is retained": func(s *scene) {
			s.begin()
			s.tick(func() { s.p.Retain(0) })
			s.tick(func() { s.inDark(func() { s.insert(0, 1) }) })
			s.tick(func() { s.p.Retain(0, without(0, 1)) })
		},
		"a component that the peer has comes again before its group is retained": func(s *scene) {
			s.begin()
			s.holds = true
			for range 4 { // as many as may be in flight: the next one is not sent
				s.tick(func() { s.w.Reshape(1, set.MaskOf(1), set.Mask{}) })
			}
			s.tick(func() { s.w.Reshape(0, set.Mask{}, set.MaskOf(2)) })
			s.tick(func() { s.inDark(func() { s.insert(0, 2) }); s.p.Retain(0) })
			s.holds = false
			s.rest(2)
			s.tick(func() { s.p.Retain(0, without(0, 2)) })
		},
		"a component that the peer has comes again while its group is retained": func(s *scene) {
			s.begin()
			s.holds = true
			for range 4 {
				s.tick(func() { s.w.Reshape(1, set.MaskOf(1), set.Mask{}) })
			}
			s.tick(func() { s.w.Reshape(0, set.Mask{}, set.MaskOf(2)) })
			s.tick(func() { s.p.Retain(0) })
			s.tick(func() { s.inDark(func() { s.insert(0, 2) }) })
			s.holds = false
			s.rest(2)
			s.tick(func() { s.p.Retain(0, without(0, 2)) })
		},
		"a component is replaced before its group is retained": func(s *scene) {
			s.begin()
			s.tick(func() { s.inDark(func() { s.insert(0, 2) }); s.p.Retain(0) })
			s.tick(func() { s.p.Retain(0, without(0, 2)) })
		},
		"a component comes to what another peer retains with an equal view": func(s *scene) {
			s.begin()
			s.other = s.w.NewPeer()
			s.tick(func() {
				s.insert(0, 3)
				s.p.SetView(0, without(0, 2))
				s.w.SpawnAt(9, set.MaskOf(0, 2), group.Place{Name: 9, Private: true})
				s.other.Show(9)
				s.other.SetView(9, without(9, 2))
			})
			s.rest(2)
			s.tick(func() { s.other.Retain(9, without(9, 2)) })
			s.tick(func() { s.inDark(func() { s.insert(9, 3) }) })
			s.tick(func() { s.w.Change(3, []repl.Slot{0}) })
		},
		"a component comes to a member that the peer lacks": func(s *scene) {
			s.begin()
			s.tick(func() { s.p.Retain(0) })
			s.tick(func() { s.inDark(func() { s.w.SpawnAt(3, set.MaskOf(0), den) }) })
			s.tick(func() { s.inDark(func() { s.insert(3, 1) }) })
			s.tick(func() { s.p.Retain(0, without(0, 2), without(3, 1)) })
			s.rest(2)
			s.tick(func() { s.inDark(func() { s.w.Despawn(3) }) })
		},
		"a component comes before a view that is not sent": func(s *scene) {
			s.begin()
			s.holds = true
			s.tick(func() { s.insert(1, 1) })
			s.tick(func() { s.inDark(func() { s.insert(0, 3) }); s.p.SetView(0, without(0, 2, 3)) })
			s.tick(func() { s.p.Retain(0, without(0, 2, 3)) })
			s.holds = false
		},
		"a component comes after a view that is not sent": func(s *scene) {
			s.begin()
			s.holds = true
			s.tick(func() { s.insert(1, 1) })
			s.tick(func() { s.p.SetView(0, without(0, 2, 3)) })
			s.tick(func() { s.inDark(func() { s.insert(0, 3) }) })
			s.tick(func() { s.p.Retain(0, without(0, 2, 3)) })
			s.holds = false
		},
		"a component comes to an entity that a view hides which is not sent": func(s *scene) {
			s.begin()
			s.holds = true
			s.tick(func() { s.insert(1, 1) })
			s.tick(func() { s.p.SetView(0, view.Hidden{Slot: 0, Whole: true}) })
			s.tick(func() { s.inDark(func() { s.insert(0, 3) }) })
			s.tick(func() { s.p.Retain(0, without(0, 2, 3)) })
			s.holds = false
		},
		"values wait, and a component comes": func(s *scene) {
			s.begin()
			s.tick(func() {
				s.w.SetRate(0, group.Rate{Every: 6})
				s.w.SetRate(1, group.Rate{Every: 6})
				s.p.SetView(0, without(0, 1))
			})
			s.rest(8)
			for range 6 {
				s.tick(func() { s.w.Change(0, []repl.Slot{1}) })
				s.tick(func() { s.inDark(func() { s.insert(0, 1) }) })
				s.tick(func() {
					s.inDark(func() { s.w.Reshape(0, set.Mask{}, set.MaskOf(1)) })
					s.w.Change(2, []repl.Slot{1})
				})
				s.rest(8)
			}
			for range 6 {
				s.tick(func() { s.inDark(func() { s.insert(0, 1) }); s.w.Change(0, []repl.Slot{1}) })
				s.rest(8)
				s.tick(func() { s.inDark(func() { s.w.Reshape(0, set.Mask{}, set.MaskOf(1)) }) })
				s.rest(8)
			}
		},
		"an entity that rests comes into view with one that is hidden": func(s *scene) {
			s.tick(func() {
				s.w.SpawnAt(0, set.MaskOf(0, 2), den)
				s.w.SpawnAt(1, set.MaskOf(0, 2), den)
			})
			s.tick(func() {
				s.w.Pause(0)
				if !s.dark {
					s.w.Pause(1)
				}
			})
			s.tick(func() { s.p.Show(0); s.p.SetView(0, view.Hidden{Slot: 1, Whole: true}) })
		},
		"a paused entity is written to": func(s *scene) {
			s.begin()
			s.tick(func() { s.p.SetView(0, without(0, 2)) })
			s.rest(3)
			s.holds = true
			s.tick(func() { s.w.Change(0, []repl.Slot{0, 1}) })
			s.tick(func() { s.w.Pause(0) })
			s.tick(func() { s.inDark(func() { s.w.Change(2, []repl.Slot{0}) }) })
			s.holds = false
		},
		"a hidden member comes while four actions are in flight": func(s *scene) {
			s.begin()
			s.holds = true
			for range 4 { // as many as may be in flight: the next one is not sent
				s.tick(func() { s.w.Reshape(1, set.MaskOf(1), set.Mask{}) })
			}
			s.tick(func() {
				s.inDark(func() {
					s.w.SpawnAt(3, set.MaskOf(0), den)
					s.p.SetView(0, view.Hidden{Slot: 3, Whole: true})
				})
			})
			s.tick(func() { s.w.Change(0, []repl.Slot{0}) }) // its values do not wait
			s.holds = false
		},
		"a hidden value changes between the baselines of two groups": func(s *scene) {
			s.tick(func() {
				s.w.SpawnAt(0, set.MaskOf(0), group.Place{Private: true})
				s.w.SpawnAt(1, set.MaskOf(0, 1), group.Place{Private: true})
				s.p.Show(0)
				s.p.Show(1)
				s.p.SetView(1, without(1, 1))
			})
			s.rest(2)
			s.tick(func() { s.inDark(func() { s.w.Change(1, []repl.Slot{1}) }) })
			s.tick(func() { s.w.Change(0, []repl.Slot{1}) })
			s.tick(func() { s.w.Change(0, []repl.Slot{0, 1}) }) // one block, if a baseline serves both
		},
		"one that is hidden leaves a retained group": func(s *scene) {
			s.begin()
			s.tick(func() { s.p.SetView(0, view.Hidden{Slot: 1, Whole: true}) })
			s.rest(3)
			s.tick(func() { s.p.Retain(0, view.Hidden{Slot: 1, Whole: true}) })
			s.tick(func() { s.inDark(func() { s.w.Despawn(1) }) })
			s.rest(3)
			s.tick(func() { s.p.Retain(0, without(0, 2)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var told [2][]string
			for i := range told {
				w := sender.NewWorld(sized{map[repl.Slot]int{0: 8, 1: 8, 2: 8}}, 6)
				s := &scene{w: w, p: w.NewPeer(), dark: i == 1}
				script(s)
				s.rest(12)
				told[i] = s.told
			}
			require.Equal(t, told[0], told[1])
		})
	}
}

// A peer has an entity from the tick in which it is sent the entity until it is sent that the entity
// left, or acknowledges that the group is gone. It never has what comes in the tick in which it is
// sent the end of the group.
//
// Proves: Z14
func TestWhatAPeerHas(t *testing.T) {
	w := sender.NewWorld(sized{}, 6)
	s := &scene{w: w, p: w.NewPeer()}
	s.begin()
	tick(w, func() { w.SpawnAt(2, set.MaskOf(0), den) })
	require.True(t, s.p.Has(0) && !s.p.Has(2), "one that was not sent yet")
	s.rest(1)
	require.True(t, s.p.Has(2))
	tick(w, func() { w.Move(2, group.Place{Name: 9, Private: true}) })
	require.True(t, s.p.Has(2), "the end of one that moved out of sight was not sent yet")
	s.rest(1)
	require.False(t, s.p.Has(2))
	s.holds = true
	s.tick(func() { s.p.Hide(0); w.SpawnAt(3, set.MaskOf(0), den) })
	require.True(t, s.p.Has(0) && !s.p.Has(3), "one that came as the group was hidden")
	s.holds = false
	s.rest(2)
	require.False(t, s.p.Has(0))
	tick(w, func() {
		w.SpawnAt(4, set.MaskOf(0), group.Place{Private: true})
		s.p.Show(4)
	})
	deliver(s.p, 1000)
	require.True(t, s.p.Has(4))
	tick(w, func() { s.p.Hide(4) })
	deliver(s.p, 1010)
	require.False(t, s.p.Has(4), "its end has arrived, and its handle is not free yet")
}

// Under a limit, changes of components that a view hides do not alter which groups a peer is sent, and when. Neither does it
// if such components are inserted and removed.
//
// Proves: V13
func TestHiddenChangesTakeNoTurnUnderALimit(t *testing.T) {
	removed := map[repl.Slot]bool{}
	for what, change := range map[string]func(w *sender.World, slot repl.Slot){
		"values": func(w *sender.World, slot repl.Slot) { w.Change(3, []repl.Slot{slot}) },
		"structure": func(w *sender.World, slot repl.Slot) {
			if removed[slot] {
				w.Reshape(slot, set.MaskOf(2), set.Mask{})
			} else {
				w.Reshape(slot, set.Mask{}, set.MaskOf(2))
			}
			removed[slot] = !removed[slot]
		},
	} {
		t.Run(what, func(t *testing.T) {
			var sent [2][][]byte
			for i := range sent {
				n := newNetwork(t, 7, 4, 0)
				n.trusts = true
				e, slots := n.join(), []repl.Slot(nil)
				n.step(func() {
					for slot := range repl.Slot(40) {
						slots = append(slots, slot)
						n.arrive(e, slot, group.Place{Private: true})
						n.world.Reshape(slot, set.MaskOf(3), set.Mask{})
						n.setView(e, slot, map[repl.Slot]view.Hidden{slot: {Slot: slot, Comps: set.MaskOf(2, 3)}})
					}
				})
				n.rest()
				n.keep, n.limit = true, fixed(60)
				for k := range 300 {
					n.step(func() {
						for _, slot := range slots {
							if (k+int(slot))%4 == 0 {
								n.set(slot, 1, uint32(k))
							}
							if i == 1 && (k*7+int(slot)*5)%3 == 0 {
								change(n.world, slot)
							}
						}
					})
				}
				sent[i] = n.sent
			}
			require.NotEmpty(t, sent[0])
			require.Equal(t, sent[0], sent[1])
		})
	}
}
