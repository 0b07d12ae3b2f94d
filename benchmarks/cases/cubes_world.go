package cases

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// These variants have the same cubes as entities of a world, replicated to a client that
// acknowledges each frame six frames later. The figure counts all bytes of updates in packets,
// including the heads of runs, and values that changed and changed back.

// cubesWorld is a server's world and a client's world.
type cubesWorld struct {
	frames [][]byte
	size   int

	world     *ecs.World
	cubes     []ecs.Entity
	cube      ecs.ID
	collector *source.Collector
	peer      *sender.Peer
	tick      entangle.Tick
	packet    uint16
	flying    [cubesAgo][2]uint16 // the packets of the last frames: of each, the first id and the one after the last
	sent      [][]byte            // the packets of the current frame

	theirs   *ecs.World
	applier  *sink.Applier
	receiver *receiver.Receiver
	copies   []ecs.Entity
}

func cubesWorldVariant(name string, goal float64, moves bool, group components.Group) report.Variant {
	return report.Variant{
		Name: "cubes/" + name, Unit: "bytes/frame", Goal: goal, Heavy: true, Missing: cubesMissing,
		Prepare: func() (report.Sides, error) { return cubesWorldPrepare(moves, group) },
	}
}

func cubesWorldPrepare(moves bool, group components.Group) (report.Sides, error) {
	frames, err := cubesLoaded()
	if err != nil {
		return report.Sides{}, err
	}
	infos, err := cubesInfos(moves)
	if err != nil {
		return report.Sides{}, err
	}
	c, err := newCubesWorld(frames, infos, group)
	if err != nil {
		return report.Sides{}, err
	}
	total, n := 0, 0
	for f := 1; f < len(frames); f++ {
		if err := c.runFrame(f); err != nil {
			return report.Sides{}, fmt.Errorf("frame %d: %w", f, err)
		}
		if f >= 2*cubesAgo {
			total, n = total+c.bytes(), n+1
		}
	}
	at, step := len(frames)-1, -1 // plays the recording back and forth, because the leap to its start would not fit into a packet
	return report.Sides{
		Before: func() {
			if at+step < 0 || at+step == len(frames) {
				step = -step
			}
			at += step
		},
		Ours:    func() { err = errors.Join(err, c.sendFrame(at)) },
		Limit:   func() { err = errors.Join(err, c.receiveFrame()) },
		Ordered: true, // because the client acknowledges the packets it receives
		Bytes:   c.bytes,
		Verify:  func() error { return err },
		Figure:  func() float64 { return float64(total) / float64(n) },
	}, nil
}

func newCubesWorld(frames [][]byte, infos []*registry.Component, group components.Group) (*cubesWorld, error) {
	ours, theirs := ecs.NewWorld(), ecs.NewWorld()
	nobody := func(ecs.Entity) {}
	c := &cubesWorld{
		frames: frames, size: infos[0].Plan.Size(), world: &ours, theirs: &theirs, cube: ecs.ComponentID[cube](&ours), tick: 100,
		applier: sink.NewApplier(&theirs, event.NewHub(), infos, nobody, nobody),
	}
	c.receiver = receiver.New(c.applier, len(infos))
	collector, err := source.NewCollector(&ours, infos, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	c.collector, c.peer = collector, collector.World.NewPeer()
	marker := ecs.ComponentID[components.Replicate](&ours)
	for range cubesCount {
		e := ours.NewEntity(marker, c.cube)
		(*components.Replicate)(ours.Get(e, marker)).Group = group
		c.cubes = append(c.cubes, e)
	}
	return c, c.sendFirstFrame()
}

// sendFirstFrame sends all cubes of the first frame to the client.
func (c *cubesWorld) sendFirstFrame() error {
	c.writeFrame(0)
	if err := c.collector.Observe(c.tick); err != nil {
		return err
	}
	for b := c.peer.AppendActions(nil, repl.MaxGroupBytes); len(b) > 0; b = c.peer.AppendActions(nil, repl.MaxGroupBytes) {
		c.packet++
		c.peer.ActionsSent(c.packet)
		if err := c.receiver.HandleActions(b); err != nil {
			return err
		}
		c.peer.HandleDelivered(c.packet)
	}
	c.copies = make([]ecs.Entity, cubesCount)
	mask := ecs.All(ecs.ComponentID[cube](c.theirs))
	for q := c.theirs.Query(&mask); q.Next(); {
		id, ok := c.applier.Replicas.ID(q.Entity())
		if !ok {
			q.Close()
			return errors.New("an entity is no copy")
		}
		c.copies[int(id.Group)+int(id.Member)] = q.Entity()
	}
	return c.verifyFrame(0)
}

// cubeSize is the size of a cube in memory, in bytes.
const cubeSize = 32

// memory returns the memory of an entity's cube.
func (c *cubesWorld) memory(w *ecs.World, e ecs.Entity) []byte {
	return (*[cubeSize]byte)(w.Get(e, ecs.ComponentID[cube](w)))[:]
}

// writeFrame sets the server's world to a frame.
func (c *cubesWorld) writeFrame(f int) {
	for i, e := range c.cubes {
		copy(c.memory(c.world, e), c.frames[f][i*c.size:][:c.size])
	}
}

// runFrame sends a frame, receives it, and compares the result.
func (c *cubesWorld) runFrame(f int) error {
	if err := c.sendFrame(f); err != nil {
		return err
	}
	if err := c.receiveFrame(); err != nil {
		return err
	}
	return c.verifyFrame(f)
}

// sendFrame writes a frame for the client, after it has acknowledged the packets sent six frames
// earlier.
func (c *cubesWorld) sendFrame(f int) error {
	c.tick++
	flying := &c.flying[c.tick%cubesAgo]
	for pkt := flying[0]; pkt != flying[1]; pkt++ {
		c.peer.HandleAcked(pkt)
	}
	c.writeFrame(f)
	if err := c.collector.Observe(c.tick); err != nil {
		return err
	}
	flying[0] = c.packet
	for c.sent = c.sent[:0]; ; c.packet++ {
		n := len(c.sent)
		c.sent = slices.Grow(c.sent, 1)[:n+1] // reuses the memory of an earlier packet
		c.sent[n] = c.peer.AppendUpdates(c.sent[n][:0], repl.MaxUpdateBytes, c.packet)
		if len(c.sent[n]) == 0 {
			c.sent, flying[1] = c.sent[:n], c.packet
			return nil
		}
	}
}

func (c *cubesWorld) receiveFrame() error {
	for _, b := range c.sent {
		if err := c.receiver.HandleUpdates(c.tick, b); err != nil {
			return err
		}
	}
	return nil
}

func (c *cubesWorld) bytes() (n int) {
	for _, b := range c.sent {
		n += len(b)
	}
	return n
}

func (c *cubesWorld) verifyFrame(f int) error {
	for i, e := range c.copies {
		if !bytes.Equal(c.memory(c.theirs, e), c.frames[f][i*c.size:][:c.size]) {
			return fmt.Errorf("cube %d is not what it is on the server", i)
		}
	}
	return nil
}
