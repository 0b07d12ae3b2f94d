package peer_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// crowd is a world of many entities with two components, of which the second is added and removed
// again and again. It is both sender and receiver.
type crowd struct {
	bareSink
	value map[repl.Slot]uint32
	mask  map[repl.Slot]set.Mask
	at    repl.Slot
	next  repl.Slot
}

func newCrowd() *crowd {
	return &crowd{value: map[repl.Slot]uint32{}, mask: map[repl.Slot]set.Mask{}}
}

func (c *crowd) Encode(w *bits.Writer, s repl.Slot, comp int, _ *repl.RefTable) {
	if comp == 0 {
		w.Bits(uint64(c.value[s]), 32)
	}
}
func (c *crowd) Spawn(repl.ID) repl.Slot { c.next++; return c.next }
func (c *crowd) Member(s repl.Slot, whole bool) {
	c.at = s
	if whole {
		c.mask[s] = set.Mask{}
	}
}

func (c *crowd) Remove(comp int) {
	m := c.mask[c.at]
	m.Clear(comp)
	c.mask[c.at] = m
}
func (c *crowd) Despawn(s repl.Slot) { delete(c.value, s); delete(c.mask, s) }
func (c *crowd) Skip(r *bits.Reader, comp int) error {
	if comp == 0 {
		r.Bits(32)
	}
	return r.Err()
}

func (c *crowd) Insert(r *bits.Reader, comp int, _ receiver.Refs) error {
	m := c.mask[c.at]
	m.Set(comp)
	c.mask[c.at] = m
	if comp == 0 {
		c.value[c.at] = uint32(r.Bits(32))
	}
	return r.Err()
}

func (c *crowd) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	return c.Insert(r, comp, refs)
}

// shapes returns the components of each entity, by the value of its first component.
func (c *crowd) shapes() map[uint32]set.Mask {
	all := map[uint32]set.Mask{}
	for s, v := range c.value {
		all[v] = c.mask[s]
	}
	return all
}

// line carries payloads with a delay and loss.
type line struct {
	rng   *rand.Rand
	loss  float64
	delay int
	under [][][]byte // by the number of ticks until they arrive
}

func (l *line) send(b []byte) {
	if l.rng.Float64() < l.loss {
		return
	}
	at := l.delay + l.rng.IntN(3)
	for len(l.under) <= at {
		l.under = append(l.under, nil)
	}
	l.under[at] = append(l.under[at], append([]byte(nil), b...))
}

func (l *line) arrive() [][]byte {
	if len(l.under) == 0 {
		return nil
	}
	now := l.under[0]
	l.under = l.under[1:]
	return now
}

// A crowd appears at once, moves every tick, and gains and loses a component all the time, over a bad
// connection. No limit is exceeded, so the connection stays open, and in the end the worlds are equal.
func TestACrowdOverABadLine(t *testing.T) {
	for _, loss := range []float64{0, 0.3} {
		source, shown := newCrowd(), newCrowd()
		world := sender.NewWorld(source, 2)
		copied := receiver.New(shown, 2)
		server, err := peer.New(peer.Config{Registry: registry(1), World: world})
		require.NoError(t, err)
		client, err := peer.New(peer.Config{Registry: registry(1), Receiver: copied})
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(1, 2))
		down := &line{rng: rng, loss: loss, delay: 6}
		up := &line{rng: rng, loss: loss, delay: 6}
		now := time.Unix(100, 0)
		const entities, ticks = 4000, 240
		one := make([]repl.Slot, 1)
		for tick := entangle.Tick(1); tick < ticks+120; tick++ {
			now = now.Add(time.Second / 60)
			if tick == ticks {
				down.loss, up.loss = 0, 0
			}
			world.Begin(tick)
			for s := range repl.Slot(entities) {
				switch {
				case tick == 60:
					source.value[s], source.mask[s] = uint32(s)<<12, set.MaskOf(0)
					world.Spawn(s, source.mask[s])
				case tick > 60 && tick < ticks:
					source.value[s]++
					one[0] = s
					world.Change(0, one)
					if (int(s)+int(tick))%8 == 0 {
						m := source.mask[s]
						if m.Has(1) {
							world.Reshape(s, set.Mask{}, set.MaskOf(1))
							m.Clear(1)
						} else {
							world.Reshape(s, set.MaskOf(1), set.Mask{})
							m.Set(1)
						}
						source.mask[s] = m
					}
				}
			}
			world.Commit()
			for _, way := range []struct {
				from, to *peer.Peer
				by       *line
			}{{server, client, down}, {client, server, up}} {
				require.NoError(t, way.from.Begin(now))
				for {
					b := way.from.AppendPacket(nil, tick, now)
					if len(b) == 0 {
						break
					}
					way.by.send(b)
				}
				for _, b := range way.by.arrive() {
					require.NoErrorf(t, way.to.HandlePayload(b, now), "loss %v, tick %d", loss, tick)
				}
			}
			_, ended := client.Ended()
			require.False(t, ended)
		}
		t.Logf("loss %v: sender %+v, receiver %+v", loss, world.Stats(), copied.Stats())
		require.Equal(t, source.shapes(), shown.shapes(), "loss %v", loss)
	}
}
