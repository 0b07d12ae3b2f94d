package main

import (
	"fmt"
	"log/slog"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
)

// receive: a client applies an update of each of 1,000 entities, from the frames
// of one tick into its Arche world. An entity has three components, of which two
// change: a position and a rotation. Limit: see receive_limit.go. One operation is
// all 1,000.
const receiveEntities = 1_000

type (
	receivePosition struct {
		X, Y, Z float32 `net:"range=-512..512,step=0.01"`
	}
	receiveRotation struct {
		Q [4]float32 `net:"quat"`
	}
	receiveHealth struct {
		Points uint16
	}
)

func receiveVariants() []variant {
	return []variant{{name: "receive/pose", goal: 1.5, prepare: receivePrepare}}
}

func receivePrepare() (sides, error) {
	p := protocol.New(protocol.Config{Name: "benchmarks"})
	protocol.Component[receivePosition](p)
	protocol.Component[receiveRotation](p)
	protocol.Component[receiveHealth](p)
	if err := p.Seal(); err != nil {
		return sides{}, err
	}
	from, err := newReceiveSource(p.Components())
	if err != nil {
		return sides{}, err
	}
	to := newReceiveCopy(p.Components())
	if err := from.join(to); err != nil {
		return sides{}, err
	}
	limit := newReceiveLimit()
	var failed error
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	return sides{
		before: func() { keep(from.tick()) },
		ours: func() {
			for _, frame := range from.frames {
				keep(to.receiver.HandleUpdates(from.now, frame))
			}
		},
		limit: func() {
			for _, frame := range from.frames {
				if !limit.apply(frame) {
					keep(fmt.Errorf("the limit can't read a frame"))
				}
			}
		},
		bytes: from.size,
		verify: func() error {
			keep(to.equal(limit))
			return failed
		},
	}, nil
}

// receiveSource is the world that is sent, to one peer that acknowledges all.
type receiveSource struct {
	world              *ecs.World
	position, rotation ecs.ID
	filter             ecs.Mask
	publisher          *source.Publisher
	peer               *sender.Peer
	now                entangle.Tick
	packet             uint16
	frames             [][]byte // of the present tick
}

func newReceiveSource(infos []*protocol.ComponentInfo) (*receiveSource, error) {
	w := ecs.NewWorld(receiveEntities)
	s := &receiveSource{world: &w, position: ecs.ComponentID[receivePosition](&w), rotation: ecs.ComponentID[receiveRotation](&w)}
	s.filter = ecs.All(s.position, s.rotation)
	publisher, err := source.NewPublisher(&w, infos, source.ServerSends, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	s.publisher = publisher
	s.peer = publisher.World().NewPeer()
	marker, health := ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[receiveHealth](&w)
	for range receiveEntities {
		w.NewEntity(marker, s.position, s.rotation, health)
	}
	return s, nil
}

// join brings the entities to the other side.
func (s *receiveSource) join(to *receiveCopy) error {
	if err := s.tick(); err != nil {
		return err
	}
	for message := uint16(0); s.peer.ActionsDue(); message++ {
		b := s.peer.AppendActions(nil, receiveRoom)
		s.peer.ActionsSent(message)
		if err := to.receiver.HandleActions(b); err != nil {
			return err
		}
		s.peer.HandleDelivered(message)
	}
	return nil
}

// receiveRoom is what frames and messages may measure here.
const receiveRoom = repl.MaxUpdateBytes

// tick moves everything and makes the frames that say so.
func (s *receiveSource) tick() error {
	s.now++
	i := 0
	for q := s.world.Query(&s.filter); q.Next(); i++ {
		pose := poseOf(i + 7*int(s.now))
		*(*receivePosition)(q.Get(s.position)) = receivePosition{pose.Pos[0], pose.Pos[1], pose.Pos[2]}
		*(*receiveRotation)(q.Get(s.rotation)) = receiveRotation{pose.Rot}
	}
	if err := s.publisher.Observe(s.now); err != nil {
		return err
	}
	s.frames = s.frames[:0]
	for {
		frame := s.peer.AppendUpdates(nil, receiveRoom, s.packet)
		if len(frame) == 0 {
			return nil
		}
		s.frames = append(s.frames, frame)
		s.peer.HandleAcked(s.packet)
		s.packet++
	}
}

func (s *receiveSource) size() (n int) {
	for _, frame := range s.frames {
		n += len(frame)
	}
	return n
}

// receiveCopy is our side.
type receiveCopy struct {
	world    *ecs.World
	copy     *sink.Copy
	receiver *receiver.Receiver
}

func newReceiveCopy(infos []*protocol.ComponentInfo) *receiveCopy {
	w := ecs.NewWorld(receiveEntities)
	nobody := func(ecs.Entity) {}
	c := &receiveCopy{world: &w, copy: sink.NewCopy(&w, event.NewHub(), infos, nobody, nobody)}
	c.receiver = receiver.New(c.copy, nil, len(infos))
	return c
}

// equal compares every entity with the limit's columns, to the last bit.
func (c *receiveCopy) equal(limit *receiveLimit) error {
	position, rotation := ecs.ComponentID[receivePosition](c.world), ecs.ComponentID[receiveRotation](c.world)
	filter := ecs.All(position, rotation)
	n := 0
	for q := c.world.Query(&filter); q.Next(); n++ {
		id, ok := c.copy.ID(q.Entity())
		if !ok || *(*receivePosition)(q.Get(position)) != limit.positions[id.Group] ||
			*(*receiveRotation)(q.Get(rotation)) != limit.rotations[id.Group] {
			q.Close()
			return fmt.Errorf("the copies of group %d differ", id.Group)
		}
	}
	if got := c.receiver.Stats().Updates; n != receiveEntities || got == 0 || got%receiveEntities != 0 {
		return fmt.Errorf("%d entities and %d updates are there", n, got)
	}
	return nil
}
