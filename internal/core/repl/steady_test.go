package repl_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// crowd is a world of many entities with one component of 32 bits.
type crowd struct {
	*sender.World
	peers []*sender.Peer
	pkt   uint16
	all   []repl.Slot
	buf   []byte
}

// newCrowd makes n entities, each in a group of the place that the function place returns for it.
func newCrowd(n, peers int, place func(repl.Slot) group.Place) *crowd {
	bits := map[repl.Slot]int{}
	for s := range repl.Slot(4 * n) {
		bits[s] = 32
	}
	c := &crowd{World: sender.NewWorld(sized{bits}, 1)}
	for range peers {
		c.peers = append(c.peers, c.NewPeer())
	}
	tick(c.World, func() {
		for s := range repl.Slot(n) {
			c.all = append(c.all, s)
			c.SpawnAt(s, set.MaskOf(0), place(s))
		}
	})
	for _, p := range c.peers {
		for s := range repl.Slot(n) {
			p.Show(s)
		}
		c.actions(p)
	}
	return c
}

// actions delivers all actions at once.
func (c *crowd) actions(p *sender.Peer) {
	for {
		if c.buf = p.AppendActions(c.buf[:0], 1000); len(c.buf) == 0 {
			return
		}
		p.ActionsSent(1)
		p.HandleDelivered(1)
	}
}

// groupsOf returns the groups of which a frame has values.
func groupsOf(t testing.TB, tick entangle.Tick, frame []byte) (all []repl.Handle) {
	p := newParser(t, newModel(1))
	says, _ := p.updates(tick, frame)
	for i := range says {
		all = append(all, says[i].Group)
	}
	return all
}

// Records that do not fit into the packets of their tick are sent in a later one.
func TestWhatFoundNoPacketIsSentLater(t *testing.T) {
	for _, private := range []bool{false, true} {
		c := newCrowd(100, 1, func(repl.Slot) group.Place { return group.Place{Private: private} })
		p, came := c.peers[0], map[repl.Handle]int{}
		for i := range 20 {
			tick(c.World, func() {
				if i == 0 {
					c.Change(0, c.all)
				}
			})
			for _, h := range groupsOf(t, c.Tick(), p.AppendUpdates(nil, 100, uint16(i))) {
				came[h]++
			}
		}
		assert.Len(t, came, 100)
		for h, n := range came {
			assert.Equal(t, 1, n, h)
		}
	}
}

// When a packet is lost, exactly the groups that it carried become due again, except for those that
// have been sent again since.
func TestALostPacketMakesItsGroupsDueAgain(t *testing.T) {
	for _, v := range []struct {
		private bool
		gap     int
	}{{false, 1}, {false, 2}, {true, 1}} {
		c := newCrowd(200, 1, func(repl.Slot) group.Place { return group.Place{Private: v.private} })
		p, some := c.peers[0], []repl.Slot(nil)
		for i := range 80 {
			some = append(some, c.all[10+i*v.gap])
		}
		tick(c.World, func() { c.Change(0, some) })
		frame := p.AppendUpdates(nil, 1000, 1)
		carried := groupsOf(t, c.Tick(), frame)
		require.Len(t, carried, 80)
		tick(c.World, func() { c.Change(0, some[:10]) })
		require.Len(t, groupsOf(t, c.Tick(), p.AppendUpdates(nil, 1000, 2)), 10)
		p.HandleLost(1)
		assert.EqualValues(t, 70, c.Stats().Resent)
		tick(c.World, func() {})
		assert.Equal(t, carried[10:], groupsOf(t, c.Tick(), p.AppendUpdates(nil, 1000, 3)))
		p.HandleAcked(2)
		p.HandleAcked(3)
		p.HandleAcked(3)
		p.HandleLost(3)
		tick(c.World, func() {})
		assert.Empty(t, p.AppendUpdates(nil, 1000, 4))
		assert.True(t, p.Idle())
		for i, h := range carried {
			base, ok := p.Base(h)
			assert.True(t, ok)
			assert.Equal(t, entangle.Tick(4)-entangle.Tick(b2i(i < 10)), base)
		}
	}
}

// A lost part of a run that was divided among packets is not sent again if it was sent since.
func TestALostPartOfARun(t *testing.T) {
	c := newCrowd(200, 1, func(repl.Slot) group.Place { return group.Place{} })
	p := c.peers[0]
	for pkt := uint16(1); pkt <= 20; pkt++ {
		if pkt%10 == 1 {
			tick(c.World, func() { c.Change(0, c.all[10:90]) })
		}
		p.AppendUpdates(nil, 100, pkt)
	}
	require.False(t, p.Idle())
	for pkt := uint16(1); pkt <= 10; pkt++ {
		p.HandleLost(pkt)
	}
	assert.Zero(t, c.Stats().Resent)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Bodies that are equal for all peers are encoded once. Bodies with ids that differ between peers
// are not, and are correct as well.
func TestWhatIsAlikeIsEncodedOnce(t *testing.T) {
	c := newCrowd(100, 8, func(repl.Slot) group.Place { return group.Place{} })
	once := func() uint64 {
		before := c.Stats().Bodies
		tick(c.World, func() { c.Change(0, c.all) })
		var first []byte
		for i, p := range c.peers {
			frame := p.AppendUpdates(nil, 1000, 1)
			if i == 0 {
				first = frame
			}
			require.Equal(t, first, frame)
			p.HandleAcked(1)
		}
		return c.Stats().Bodies - before
	}
	assert.LessOrEqual(t, once(), uint64(2*len(c.all)))
	assert.LessOrEqual(t, once(), uint64(2*len(c.all)))

	tick(c.World, func() {
		for _, s := range c.all {
			c.SetRate(s, group.Rate{Every: 5})
		}
	})
	before := c.Stats().Bodies
	for i := range 10 {
		tick(c.World, func() {
			if i < 6 { // two turns of some groups, with one change or several before
				c.Change(0, c.all)
			}
		})
		for _, p := range c.peers {
			p.AppendUpdates(nil, 1000, 1)
			p.HandleAcked(1)
		}
	}
	assert.Equal(t, uint64(2*len(c.all)), c.Stats().Bodies-before, "at their turns")
}

// After all packets are prepared, the packets of different peers are written concurrently. They are
// the same as when they are written one after the other, also under limits.
func TestPacketsAreWrittenAtATime(t *testing.T) {
	run := func(workers int) (all [8][]byte) {
		c := newCrowd(300, len(all), func(s repl.Slot) group.Place {
			return group.Place{Name: uint32(s % 3 * (s / 3)), Private: s%7 == 0}
		})
		rng := rand.New(rand.NewPCG(1, 1))
		for range 60 {
			tick(c.World, func() {
				for _, s := range c.all {
					if rng.IntN(2) == 0 {
						c.Change(0, []repl.Slot{s})
					}
				}
				s := c.all[rng.IntN(len(c.all))]
				c.SetRate(s, group.Rate{Priority: float32(s), MaxAge: uint16(s % 5)})
				c.Move(s, group.Place{Name: uint32(rng.IntN(9))})
			})
			for _, p := range c.peers {
				c.actions(p)
				p.Predict(c.all[3], true)
			}
			for i, p := range c.peers {
				if p.Prepare(); i%2 == 1 {
					p.Limit(100 * i)
				}
			}
			var wait sync.WaitGroup
			for k := range workers {
				wait.Go(func() {
					for i := k; i < len(all); i += workers {
						for pkt := uint16(c.Tick()) * 2; pkt < uint16(c.Tick())*2+2; pkt++ {
							all[i] = c.peers[i].AppendUpdates(all[i], 900, pkt)
						}
						all[i] = c.peers[i].AppendMark(all[i], 100)
					}
				})
			}
			wait.Wait()
			for i, p := range c.peers {
				for pkt := uint16(c.Tick()) * 2; pkt < uint16(c.Tick())*2+2; pkt++ {
					if i%4 != int(pkt)%4 {
						p.HandleAcked(pkt)
					} else {
						p.HandleLost(pkt)
					}
				}
			}
		}
		return all
	}
	want := run(1)
	require.NotEmpty(t, want[0])
	assert.Equal(t, want, run(2))
	assert.Equal(t, want, run(4))
}

// Once the world is in a steady state, a tick allocates nothing, with 5 % of the packets lost, 1 %
// of the entities replaced and 1 % moved to other groups in every tick.
//
// Proves: R40
func TestSteadyStateAllocatesNothing(t *testing.T) {
	const entities, names = 200, 16
	c := newCrowd(entities, 4, func(s repl.Slot) group.Place { return group.Place{Name: uint32(s % (2 * names) % names * (s & 1))} })
	rng := rand.New(rand.NewPCG(1, 1))
	frame, one := make([]byte, 0, 2000), []repl.Slot{0}
	var lost [4]uint16
	step := func() {
		c.Begin(c.Tick() + 1)
		for range entities / 100 {
			s := c.all[rng.IntN(entities)]
			c.Despawn(s)
			c.SpawnAt(s, set.MaskOf(0), group.Place{Name: rng.Uint32N(names)})
			c.Move(c.all[rng.IntN(entities)], group.Place{Name: rng.Uint32N(names)})
		}
		for range entities / 4 {
			one[0] = c.all[rng.IntN(entities)]
			c.Change(0, one)
		}
		c.Commit()
		for i, p := range c.peers {
			c.actions(p)
			if lost[i] != 0 {
				p.HandleLost(lost[i])
				lost[i] = 0
			}
			for {
				c.pkt++
				if len(p.AppendUpdates(frame, 1000, c.pkt)) == 0 {
					break
				}
				if rng.IntN(20) == 0 && lost[i] == 0 {
					lost[i] = c.pkt
				} else {
					p.HandleAcked(c.pkt)
				}
			}
		}
	}
	for range 20_000 { // until groups, trails and lists have reached their greatest length
		step()
	}
	assert.Zero(t, alloctest.Count(500, step))
}

// A group that continues to exist while its members join and leave reuses its numbers, and
// allocates nothing for that.
//
// Proves: R40
func TestALastingGroupAllocatesNothing(t *testing.T) {
	c := newCrowd(20, 1, func(repl.Slot) group.Place { return group.Place{Name: 1} })
	step := func() {
		c.Begin(c.Tick() + 1)
		for s := range repl.Slot(4) {
			c.Despawn(s)
			c.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1})
		}
		c.Commit()
		c.actions(c.peers[0])
	}
	for range 3000 {
		step()
	}
	require.Zero(t, c.Stats().MembersRefused)
	assert.Zero(t, alloctest.Count(200, step))
	at, _ := c.PlaceOf(0)
	assert.Equal(t, group.Place{Name: 1}, at)
	id, _ := c.ID(0)
	assert.Less(t, int(id.Group), 50, "an entity that gets a used number is named by a handle of its own")
}

// A peer's bytes reveal nothing of a private group that it does not see: they are the same whether
// the group does not exist, does not change, changes or ends.
func TestWhatIsHiddenChangesNoByte(t *testing.T) {
	const hidden = repl.Slot(60)
	runs := map[string]func(n *network, b *end, i int){
		"absent": func(*network, *end, int) {},
		"still": func(n *network, b *end, i int) {
			if i == 10 {
				n.world.SpawnAt(hidden, set.MaskOf(0), group.Place{Private: true})
				b.peer.Show(hidden)
			}
		},
		"changing": func(n *network, b *end, i int) {
			if i == 10 {
				n.world.SpawnAt(hidden, set.MaskOf(0), group.Place{Private: true})
				b.peer.Show(hidden)
			} else if i > 10 {
				n.world.Change(0, []repl.Slot{hidden})
				n.world.Reshape(hidden, set.MaskOf(i%3), set.MaskOf(1+i%2))
			}
		},
		"moving and dying": func(n *network, b *end, i int) {
			switch i % 8 {
			case 0:
				n.world.SpawnAt(hidden, set.MaskOf(0), group.Place{Private: true})
				b.peer.Show(hidden)
			case 3:
				n.world.Move(hidden, group.Place{Name: 77, Private: true})
			case 5:
				n.world.Despawn(hidden)
			}
		},
	}
	sent := map[string][]byte{}
	for _, name := range []string{"absent", "still", "changing", "moving and dying"} {
		n, also := newNetwork(t, 3, 13, 0), runs[name]
		a, b := n.join(), n.join()
		a.rng = rand.New(rand.NewPCG(1, 9))
		n.loss, n.delay = 0.1, 2
		var all bytes.Buffer
		for i := range 150 {
			n.tick++
			tick(n.world, func() {
				for slot := range n.model.entities {
					n.world.SetRate(slot, group.Rate{Every: uint16(slot % 3 * 2)})
				}
				n.randomChange()
				also(n, b, i)
			})
			n.record()
			n.keep, n.sent = true, nil
			n.sendTo(a)
			for _, m := range n.sent {
				fmt.Fprintf(&all, "%x\n", m)
			}
			n.deliver(a)
			n.drain(b)
		}
		sent[name] = all.Bytes()
		require.NotEmpty(t, sent[name])
		require.True(t, bytes.Equal(sent["absent"], sent[name]), name)
	}
}

// drain takes everything that a peer can be sent, and acknowledges it.
func (n *network) drain(e *end) {
	for {
		b := e.peer.AppendActions(nil, 300)
		if len(b) == 0 {
			break
		}
		e.peer.ActionsSent(1)
		e.peer.HandleDelivered(1)
	}
	for e.pkt++; len(e.peer.AppendUpdates(nil, 300, e.pkt)) > 0; e.pkt++ {
		e.peer.HandleAcked(e.pkt)
	}
}

// Without losses, the confirmed tick follows with a delay of the latency and a few ticks, whatever
// changes. It also advances with packets that carry nothing else.
func TestTheSettledTickFollows(t *testing.T) {
	for _, delay := range []int{0, 3, 12} {
		n := newNetwork(t, 1, 3, 0)
		n.delay = delay
		e := n.join()
		n.step(func() {
			for i := range 30 {
				n.spawnAt([]group.Place{{}, {Name: 1}, {Name: 2}}[i%3])
			}
			for slot := range repl.Slot(12) {
				n.foresee(e, slot, true)
			}
		})
		for i := range 200 {
			n.step(func() {
				for slot := range repl.Slot(30) {
					if i < 150 && n.rng.IntN(2) == 0 {
						n.write(slot, n.model.entities[slot])
					}
				}
				if slot := repl.Slot(i % 12); i < 150 && i%(2*delay+2) == 0 {
					n.reshape(slot, n.model.entities[slot])
				}
			})
			if tick, ok := e.copy.ConfirmedTick(); i > 60 {
				require.True(t, ok)
				require.LessOrEqual(t, int(n.tick.Sub(tick)), delay+8, "tick %d", n.tick)
			}
		}
		assert.Greater(t, e.settles, 20)
	}
}
