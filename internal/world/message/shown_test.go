package message

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Messages by number: aPlain and eOrdered are plain and delivered when shown, on the same ordered channel; iBoom and
// oScene are delivered when shown, on an unordered one.
type (
	aPlain   struct{ N uint8 }
	eOrdered struct{ N uint8 }
	iBoom    struct{ N uint8 }
	oScene   struct {
		Of [3]ecs.Entity
		N  uint8
	}
)

const (
	plain = iota
	ordered
	boom
	scene
)

// showing is an inbox of a client that shows entities delay ticks in the past, and those with the interval 6 another 10
// ticks later.
type showing struct {
	t        testing.TB
	post     *Post
	applier  *sink.Applier
	world    *ecs.World
	mail     *Inbox
	interval *registry.Component
	known    map[repl.ID]repl.Slot
	tick     entangle.Tick // of the packet
	shown    entangle.Tick
	now      time.Time
	got      []uint8 // the numbers of the messages that were raised
	refs     []int   // the number of entities in each of them
	heads    []event.Head
	quiet    bool
}

func (s *showing) Timeline(every int) (entangle.Tick, float32) {
	if every == 6 {
		return s.shown - 10, 0
	}
	return s.shown, 0
}
func (s *showing) Begun() bool                                      { return true }
func (s *showing) PacketInterval() int                              { return 1 }
func (s *showing) SampleReceived(int, entangle.Tick, entangle.Tick) {}

func newShowing(t testing.TB, server bool) *showing {
	p := protocol.New(protocol.Config{Name: "showing"})
	protocol.Component[components.Interpolated](p)
	protocol.Message[aPlain](p)
	protocol.Message[eOrdered](p).WhenShown()
	protocol.Message[iBoom](p).Mode(protocol.UnorderedReliable).WhenShown()
	protocol.Message[oScene](p).Mode(protocol.UnorderedReliable).WhenShown()
	require.NoError(t, registry.Seal(p))
	w, hub := ecs.NewWorld(), event.NewHub()
	ecs.AddResource(&w, &components.Targets{})
	s := &showing{t: t, post: NewPost(p, server), world: &w, interval: registry.Of(p).Components[0], known: map[repl.ID]repl.Slot{}, tick: 100, shown: 95, now: time.Unix(100, 0)}
	s.applier = sink.NewApplier(&w, hub, registry.Of(p).Components, func(ecs.Entity) {}, func(ecs.Entity) {})
	require.NoError(t, s.applier.InterpolateBy(s, registry.Of(p).Components, 60))
	s.post.Attach(&w, hub, nil, s.applier)
	s.mail = s.post.NewInbox(entangle.Nobody, func(id repl.ID) (repl.Slot, bool) { slot, ok := s.known[id]; return slot, ok })
	for _, info := range registry.Of(p).Messages {
		hub.AddMessage(info.Plan).Sink = func(head event.Head, r *bits.Reader, refs wire.RefReader) error {
			entities := 0
			if info.Number == scene {
				for range 3 {
					if e, _ := refs.At(uint32(r.Uvarint())); !e.IsZero() {
						entities++
						assert.True(t, s.quiet || w.Alive(e))
					}
				}
			}
			n := uint8(r.Bits(8))
			if err := r.End(); err != nil || s.quiet {
				return err
			}
			s.got, s.refs, s.heads = append(s.got, n), append(s.refs, entities), append(s.heads, head)
			return nil
		}
	}
	return s
}

// come makes an entity of a group arrive that is interpolated at an interval, or not if that is 0.
func (s *showing) come(group repl.Handle, every uint32) {
	id := repl.ID{Group: group}
	s.applier.Begin(s.tick, s.tick)
	slot := s.applier.Spawn(id)
	s.known[id] = slot
	s.applier.Member(slot, true)
	if every > 0 {
		var w bits.Writer
		value := make([]byte, s.interval.Plan.Size())
		binary.NativeEndian.PutUint32(value, every) // components.Interpolated.SendEvery
		s.interval.Plan.Encode(&w, value, nil)
		var r bits.Reader
		r.Reset(w.Finish())
		require.NoError(s.t, s.applier.Insert(&r, 0, nil))
	}
	s.applier.Commit()
}

// leave makes the end of an entity arrive.
func (s *showing) leave(group repl.Handle) {
	s.applier.Begin(s.tick, s.tick)
	s.applier.Despawn(s.known[repl.ID{Group: group}])
	delete(s.known, repl.ID{Group: group})
	s.applier.Commit()
}

// appendBody writes a message of the server that was sent in a tick.
func appendBody(w *bits.Writer, number int, sent entangle.Tick, n uint8, about ...repl.Handle) {
	w.Uvarint(uint64(number))
	if number != plain {
		w.Bits(uint64(sent&0xffff), 16)
	}
	if number == scene {
		w.Uvarint(uint64(len(about)))
		for _, h := range about {
			w.Bool(true)
			repl.AppendRef(w, repl.Ref{ID: repl.ID{Group: h}})
		}
		for i := range 3 {
			if i++; i > len(about) {
				i = 0 // no entity
			}
			w.Uvarint(uint64(i))
		}
	}
	w.Bits(uint64(n), 8)
}

func (s *showing) body(number int, sent entangle.Tick, n uint8, about ...repl.Handle) []byte {
	var w bits.Writer
	appendBody(&w, number, sent, n, about...)
	return w.Finish()
}

func (s *showing) handle(body []byte, number int) error {
	ch := wordChannel
	if number == boom || number == scene {
		ch = looseChannel
	}
	return s.mail.HandleMessage(ch, body, s.tick, s.now)
}

// get receives a message that was sent in a tick.
func (s *showing) get(number int, sent entangle.Tick, n uint8, about ...repl.Handle) {
	s.t.Helper()
	require.NoError(s.t, s.handle(s.body(number, sent, n, about...), number))
}

// frame shows a tick, and returns the messages that were delivered.
func (s *showing) frame(shown entangle.Tick) []uint8 {
	s.t.Helper()
	s.shown, s.got, s.refs = shown, s.got[:0], s.refs[:0]
	s.applier.Interpolate()
	require.NoError(s.t, s.mail.Advance(s.now))
	return s.got
}

// A message without entities is delivered when the client shows its tick. One that is older is delivered in its frame,
// and what was sent later can be delivered first.
//
// Proves: N14
func TestAMessageIsDeliveredWhenItsTickIsShown(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 1)
	s.frame(100)
	s.tick = 110
	s.get(boom, 110, 1)
	s.get(boom, 108, 2)
	s.get(boom, 90, 3)
	s.get(plain, 0, 4)
	assert.Equal(t, []uint8{4}, s.got)
	assert.Equal(t, []uint8{3}, s.frame(100))
	assert.Empty(t, s.frame(107))
	assert.Equal(t, []uint8{2}, s.frame(109))
	assert.Equal(t, []uint8{1}, s.frame(112))
	var ticks []entangle.Tick
	for _, h := range s.heads {
		ticks = append(ticks, h.Tick)
	}
	assert.Equal(t, []entangle.Tick{110, 90, 108, 110}, ticks, "of a plain message, that of its packet")
	assert.Zero(t, s.mail.Held())
	assert.Zero(t, s.post.Stats().Early)
	assert.Zero(t, s.post.Stats().Waited)
}

// A message with entities is delivered when the slowest of them is shown as of its tick.
//
// Proves: N14
func TestAMessageWaitsForTheSlowestOfItsEntities(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 1)
	s.come(2, 6)
	s.come(3, 0)
	s.frame(120)
	s.tick = 140
	s.get(scene, 140, 1, 1)
	s.get(scene, 140, 2, 1, 2)
	s.get(scene, 140, 3, 2, 1, 3)
	s.get(scene, 140, 4, 3)
	s.get(scene, 140, 5)
	assert.Equal(t, []uint8{4}, s.frame(139), "its entity is not interpolated")
	assert.Equal(t, []uint8{1, 5}, s.frame(140))
	assert.Empty(t, s.frame(149))
	assert.Equal(t, []uint8{2, 3}, s.frame(150))
	assert.Equal(t, []int{2, 3}, s.refs)
}

// An entity that appears in the tick of a message, or later, is shown before the message is delivered, and one that
// ends stays in the messages until it does.
//
// Proves: N14
func TestAMessageIsDeliveredWithTheEntitiesOfItsTick(t *testing.T) {
	s := newShowing(t, false)
	s.tick = 110
	s.get(scene, 110, 1, 1)
	assert.Empty(t, s.frame(111), "it has not arrived")
	s.tick = 112
	s.come(1, 1)
	e := s.applier.Replicas.Entity(s.known[repl.ID{Group: 1}])
	assert.Empty(t, s.frame(111))
	assert.False(t, s.world.Has(e, ecs.ComponentID[components.Interpolated](s.world)))
	assert.Equal(t, []uint8{1}, s.frame(112))
	assert.True(t, s.world.Has(e, ecs.ComponentID[components.Interpolated](s.world)))

	s.tick = 120
	s.get(scene, 119, 2, 1)
	s.leave(1)
	assert.Empty(t, s.frame(118))
	assert.Equal(t, []uint8{2}, s.frame(119))
	assert.Equal(t, []int{1}, s.refs)
	s.get(scene, 119, 3, 1)
	assert.Empty(t, s.frame(120), "for all it knows, the entity may still arrive")
	s.now = s.now.Add(maxHeldFor)
	assert.Equal(t, []uint8{3}, s.frame(121))
	assert.Equal(t, []int{0}, s.refs)
	assert.EqualValues(t, 1, s.post.Stats().Dangling)
	assert.EqualValues(t, 2, s.post.Stats().Waited)

	s.mail.EndedBy = func(h repl.Handle, tick entangle.Tick) bool { return h == 1 && tick <= 120 }
	s.get(scene, 119, 4, 1)
	assert.Equal(t, []uint8{4}, s.frame(121), "its group has ended since")
	s.tick = 122
	s.get(scene, 121, 5, 1)
	assert.Empty(t, s.frame(122), "this one is about another entity")
}

// An entity that the game has removed, or that the server hides while a message waits for it, holds nothing up for long.
func TestAMessageDoesNotWaitForARemovedEntity(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 6)
	s.come(2, 1)
	s.frame(120)
	s.tick = 130
	s.get(scene, 130, 1, 1)
	assert.Empty(t, s.frame(131))
	s.world.RemoveEntity(s.applier.Replicas.Entity(s.known[repl.ID{Group: 1}]))
	s.quiet = true
	s.frame(131)
	assert.Zero(t, s.mail.Held())

	s.quiet = false
	s.get(scene, 140, 2, 2)
	s.tick = 135
	s.leave(2)
	assert.Empty(t, s.frame(135))
	s.now = s.now.Add(maxHeldFor)
	assert.Equal(t, []uint8{2}, s.frame(140))
}

// A message does not wait for an entity that has ended before the tick of the message is shown, nor for an entity in a
// group that ends meanwhile.
func TestAMessageDoesNotWaitForAnEndedEntity(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 6)
	s.frame(120)
	s.tick = 130
	s.get(scene, 130, 1, 1)
	assert.Empty(t, s.frame(131))
	s.applier.Forget(s.known[repl.ID{Group: 1}])
	delete(s.known, repl.ID{Group: 1})
	assert.Empty(t, s.frame(131), "it may come again")
	s.mail.EndedBy = func(repl.Handle, entangle.Tick) bool { return true }
	assert.Equal(t, []uint8{1}, s.frame(131))
}

// The answers to requests are on a channel of their own, and are no messages that wait until they are shown.
func TestAnAnswerIsNotDeliveredLater(t *testing.T) {
	s := newShowing(t, false)
	require.Error(t, s.mail.HandleMessage(peer.Requests, s.body(ordered, 130, 1), s.tick, s.now), "it has no such request")
	assert.Zero(t, s.mail.Held())
}

// On an ordered channel, messages of all types wait behind one that waits.
//
// Proves: N14
func TestAnOrderedChannelStaysInOrder(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 1)
	s.frame(100)
	s.get(plain, 0, 1)
	s.get(ordered, 100, 2)
	s.get(plain, 0, 3)
	s.tick = 101
	s.get(ordered, 101, 4)
	s.get(plain, 0, 5)
	assert.Equal(t, []uint8{1}, s.got)
	assert.Empty(t, s.frame(99))
	assert.Equal(t, []uint8{2, 3}, s.frame(100))
	assert.Equal(t, []uint8{4, 5}, s.frame(101))
}

// A client that interpolates nothing delivers in the same frame, and a server at once. Clients write no tick.
//
// Proves: N14
func TestWithoutInterpolationMessagesDoNotWait(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 0)
	s.get(boom, 100, 1)
	assert.Equal(t, []uint8{1}, s.frame(50))
	s.get(scene, 100, 2, 1)
	assert.Equal(t, []uint8{2}, s.frame(50))

	s = newShowing(t, true)
	var w bits.Writer
	w.Uvarint(boom)
	w.Bits(7, 8)
	require.NoError(t, s.handle(w.Finish(), boom))
	assert.Equal(t, []uint8{7}, s.got)
}

// The tick of a message is that of the frame in which the server sends it, whenever its packets arrive.
//
// Proves: N14
func TestAMessageHasTheTickInWhichItWasSent(t *testing.T) {
	for _, sent := range []entangle.Tick{70_000, 1<<16 - 1, 0, ^entangle.Tick(0)} {
		server, client := newShowing(t, true), newShowing(t, false)
		client.come(1, 1)
		send := func(number int) {
			require.NoError(t, server.post.Send(number, components.Everyone, entangle.Nobody, func(w *bits.Writer, _ wire.RefWriter) error {
				w.Bits(9, 8)
				return nil
			}))
		}
		send(boom)
		send(plain)
		var bodies [][]byte
		server.post.Flush(sent, server.now, carrier(func(l *Outgoing) {
			bodies = append(bodies, append([]byte(nil), server.post.Envelope(l, source.Recipient{})...))
		}))
		require.Len(t, bodies[0], len(bodies[1])+2)
		for _, later := range []entangle.Tick{0, 1, 300, 1<<16 - 1} {
			client.tick, client.heads = sent+later, nil
			require.NoError(t, client.handle(bodies[0], boom))
			assert.Empty(t, client.frame(sent-1))
			assert.Equal(t, []uint8{9}, client.frame(sent))
			assert.Equal(t, sent, client.heads[0].Tick)
		}
	}
}

type carrier func(l *Outgoing)

func (c carrier) Carry(l *Outgoing, _ time.Time) { c(l) }

// A server with ticks that are never shown cannot make a client keep messages: they wait for 512 ticks at most, by the clock of the
// client, and if too many wait, the oldest are delivered. Malformed ones end the connection, though later.
//
// Proves: N14
func TestMessagesOfTicksThatAreNeverShown(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 1)
	s.frame(100)
	s.tick = 1 << 20
	s.get(boom, s.tick, 1)
	s.get(ordered, s.tick, 2)
	s.get(plain, s.tick, 3)
	s.now = s.now.Add(s.post.maxShown - 1)
	assert.Empty(t, s.frame(101))
	s.now = s.now.Add(1)
	assert.Equal(t, []uint8{1, 2, 3}, s.frame(101))
	assert.EqualValues(t, 2, s.post.Stats().Early)

	s.got = s.got[:0]
	for range 3 * MaxHeld {
		s.get(boom, s.tick, 4)
		require.LessOrEqual(t, s.mail.Held(), MaxHeld)
		require.LessOrEqual(t, len(s.mail.held.list), 2*MaxHeld+1)
	}
	assert.Len(t, s.got, 2*MaxHeld)
	assert.EqualValues(t, 2+2*MaxHeld, s.post.Stats().Early)
	assert.Len(t, s.frame(s.tick), MaxHeld)
	assert.Zero(t, s.mail.Held())

	long := append(s.body(boom, s.tick, 5), make([]byte, channel.MaxMessage/2)...)
	require.NoError(t, s.handle(long, boom))
	assert.Error(t, s.mail.Advance(s.now))
}

// The memory of messages that wait is bounded by their bytes, also when small ones wait among large ones.
func TestBodiesOfWaitingMessagesAreBounded(t *testing.T) {
	var l heldMessages
	for i := range 20_000 {
		l.compact()
		l.add(heldMessage{ch: looseChannel}, make([]byte, i%2*1000))
		if i%2 > 0 {
			l.remove(len(l.list) - 1)
		}
		for l.n > MaxHeld {
			l.remove(l.oldest)
		}
		require.LessOrEqual(t, len(l.bodies), 2*maxHeldBytes+1000)
		require.LessOrEqual(t, len(l.list), 2*MaxHeld+2)
	}
	for _, h := range l.list {
		assert.True(t, h.done || h.width == 0)
	}
}

// Receiving messages, holding them for five ticks and delivering them allocates nothing.
func TestHoldingMessagesAllocatesNothing(t *testing.T) {
	s := newShowing(t, false)
	s.come(1, 1)
	s.quiet = true
	var w bits.Writer
	var buf []byte
	about := []repl.Handle{1}
	frame := func() {
		s.tick++
		s.shown = s.tick - 5
		s.now = s.now.Add(time.Second / 60)
		for _, number := range []int{ordered, boom, scene} {
			w.Reset(buf[:0])
			appendBody(&w, number, s.tick, 1, about...)
			buf = w.Finish()
			if err := s.handle(buf, number); err != nil {
				panic(err)
			}
		}
		s.applier.Interpolate()
		if err := s.mail.Advance(s.now); err != nil {
			panic(err)
		}
	}
	for range 200 {
		frame()
	}
	require.Equal(t, 15, s.mail.Held())
	assert.Zero(t, alloctest.Count(100, frame))
	assert.Equal(t, 15, s.mail.Held())
}

// FuzzShown passes messages of random bytes to a client that interpolates. None of them panics, and no more wait than may.
//
// Proves: Z6
func FuzzShown(f *testing.F) {
	seed := newShowing(f, false)
	f.Add(uint8(looseChannel), seed.body(boom, 100, 1))
	f.Add(uint8(looseChannel), seed.body(scene, 100, 1, 1, 2))
	f.Add(uint8(wordChannel), seed.body(ordered, 100, 1))
	f.Add(uint8(peer.Requests), []byte{0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, ch uint8, body []byte) {
		s := newShowing(t, false)
		s.quiet = true
		s.come(1, 1)
		s.come(2, 6)
		for n := range 3 {
			if s.mail.HandleMessage(channel.ID(ch&63), body, s.tick, s.now) != nil {
				return
			}
			s.shown = s.tick - 1 + entangle.Tick(n)
			s.applier.Interpolate()
			if s.mail.Advance(s.now) != nil {
				return
			}
		}
		s.leave(1)
		s.now = s.now.Add(s.post.maxShown)
		if s.mail.Advance(s.now) == nil {
			require.Zero(t, s.mail.Held(), "nothing waits for longer")
		}
	})
}
