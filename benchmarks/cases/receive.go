package cases

import (
	"fmt"
	"log/slog"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
)

type receiveHealth struct {
	Points uint16
}

// In the case receive, a client applies updates of 1,000 entities, from the frames of one tick into
// its Arche world. An entity has three components, two of which change: a position and a rotation.
// The limit is described in limits/receive.go. One operation is all 1,000 entities.
func receiveVariants() []report.Variant {
	return []report.Variant{{Name: "receive/pose", Goal: 1.5, Prepare: receivePrepare}}
}

func receivePrepare() (report.Sides, error) {
	p := protocol.New(protocol.Config{Name: "benchmarks"})
	protocol.Component[workload.Position](p)
	protocol.Component[workload.Rotation](p)
	protocol.Component[receiveHealth](p)
	if err := registry.Seal(p); err != nil {
		return report.Sides{}, err
	}
	from, err := newReceiveSource(registry.Of(p).Components)
	if err != nil {
		return report.Sides{}, err
	}
	to := newReceiveCopy(registry.Of(p).Components)
	if err := from.sendEntities(to); err != nil {
		return report.Sides{}, err
	}
	limit := limits.NewReceiveLimit()
	var failed error
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	return report.Sides{
		Before: func() { keep(from.tick()) },
		Ours: func() {
			for _, frame := range from.frames {
				keep(to.receiver.HandleUpdates(from.now, frame))
			}
		},
		Limit: func() {
			for _, frame := range from.frames {
				if !limit.Apply(frame) {
					keep(fmt.Errorf("the limit can't read a frame"))
				}
			}
		},
		Bytes: from.size,
		Verify: func() error {
			keep(to.verifyEntities(limit))
			return failed
		},
	}, nil
}

// receiveSource is the world that is sent, to one peer that acknowledges everything.
type receiveSource struct {
	world              *ecs.World
	position, rotation ecs.ID
	filter             ecs.Mask
	collector          *source.Collector
	peer               *sender.Peer
	now                entangle.Tick
	packet             uint16
	frames             [][]byte // the frames of the present tick
}

func newReceiveSource(infos []*registry.Component) (*receiveSource, error) {
	w := ecs.NewWorld(workload.ReceiveEntities)
	s := &receiveSource{world: &w, position: ecs.ComponentID[workload.Position](&w), rotation: ecs.ComponentID[workload.Rotation](&w)}
	s.filter = ecs.All(s.position, s.rotation)
	collector, err := source.NewCollector(&w, infos, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	s.collector = collector
	s.peer = collector.World.NewPeer()
	marker, health := ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[receiveHealth](&w)
	for range workload.ReceiveEntities {
		w.NewEntity(marker, s.position, s.rotation, health)
	}
	return s, nil
}

// sendEntities sends all entities to the other side.
func (s *receiveSource) sendEntities(to *receiveCopy) error {
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

// receiveRoom is the greatest size of frames and messages here, in bytes.
const receiveRoom = repl.MaxUpdateBytes

// tick moves all entities and builds the frames with their updates.
func (s *receiveSource) tick() error {
	s.now++
	i := 0
	for q := s.world.Query(&s.filter); q.Next(); i++ {
		pose := workload.PoseOf(i + 7*int(s.now))
		*(*workload.Position)(q.Get(s.position)) = workload.Position{X: pose.Pos[0], Y: pose.Pos[1], Z: pose.Pos[2]}
		*(*workload.Rotation)(q.Get(s.rotation)) = workload.Rotation{Q: pose.Rot}
	}
	if err := s.collector.Observe(s.now); err != nil {
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

// receiveCopy is our side: the client's receiver and its world.
type receiveCopy struct {
	world    *ecs.World
	applier  *sink.Applier
	receiver *receiver.Receiver
}

func newReceiveCopy(infos []*registry.Component) *receiveCopy {
	w := ecs.NewWorld(workload.ReceiveEntities)
	nobody := func(ecs.Entity) {}
	c := &receiveCopy{world: &w, applier: sink.NewApplier(&w, event.NewHub(), infos, nobody, nobody)}
	c.receiver = receiver.New(c.applier, len(infos))
	return c
}

// verifyEntities compares every entity with the limit's columns, bit by bit.
func (c *receiveCopy) verifyEntities(limit *limits.ReceiveLimit) error {
	position, rotation := ecs.ComponentID[workload.Position](c.world), ecs.ComponentID[workload.Rotation](c.world)
	filter := ecs.All(position, rotation)
	n := 0
	for q := c.world.Query(&filter); q.Next(); n++ {
		id, ok := c.applier.Replicas.ID(q.Entity())
		if !ok || *(*workload.Position)(q.Get(position)) != limit.Positions[id.Group] ||
			*(*workload.Rotation)(q.Get(rotation)) != limit.Rotations[id.Group] {
			q.Close()
			return fmt.Errorf("the copies of group %d differ", id.Group)
		}
	}
	if got := c.receiver.Stats().Updates; n != workload.ReceiveEntities || got == 0 || got%workload.ReceiveEntities != 0 {
		return fmt.Errorf("%d entities and %d updates are there", n, got)
	}
	return nil
}
