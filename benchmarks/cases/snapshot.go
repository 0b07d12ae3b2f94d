package cases

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/protocol"
)

// In the case interpolate/snapshot, a client shows 10,000 interpolated entities with three
// components two ticks in the past. A sample of all of them arrives in each tick. One operation is
// the two frames of a tick, at a quarter and at three quarters of it: the shown time advances, and
// the shown values are written in the order of the slots. In the variant receive, one operation is
// the arrival of a tick.
const (
	snapshotEntities = 10_000
	snapshotDelay    = 2 // ticks
)

func snapshotVariants() []report.Variant {
	return []report.Variant{
		{Name: "interpolate/snapshot", Goal: 1.5, Prepare: func() (report.Sides, error) {
			s, err := newSnapshotScene()
			if err != nil {
				return report.Sides{}, err
			}
			return report.Sides{Before: s.nextFrames, Ours: s.show, Limit: s.showLimit, Verify: s.verify}, nil
		}},
		{Name: "interpolate/snapshot-receive", Prepare: func() (report.Sides, error) {
			s, err := newSnapshotScene()
			if err != nil {
				return report.Sides{}, err
			}
			return report.Sides{Before: s.nextTick, Ours: s.receive, Limit: func() { s.limit.Receive(&s.arrived) }}, nil
		}},
		{Name: "interpolate/snapshot-memory", Unit: "bytes", Prepare: func() (report.Sides, error) {
			s, err := newSnapshotScene()
			if err != nil {
				return report.Sides{}, err
			}
			return report.Sides{Before: s.nextFrames, Ours: s.show, Limit: s.showLimit, Figure: func() float64 {
				return float64(s.store.Stats().Bytes) / snapshotEntities
			}}, nil
		}},
	}
}

// snapshotScene is both sides of the case.
type snapshotScene struct {
	store   *snapshot.Store
	slots   []snapshot.Slot
	shown   [3][]byte // by column
	limit   *limits.SnapshotLimit
	tick    int
	arrived limits.SnapshotColumns // the newest sample
	columns [3][]byte              // its memory
	value   func(col int) []byte   // of the entity at row
	row     int
}

var (
	snapshotSizes  = [3]int{12, 16, 8}
	snapshotFrames = [2]float64{0.25, 0.75}
)

func newSnapshotScene() (*snapshotScene, error) {
	kinds := make([]snapshot.Kind, 3)
	positions, err := blend.NewFuncs(protocol.Linear[workload.VisualPosition])
	if err != nil {
		return nil, err
	}
	rotations, err := blend.NewFuncs(protocol.Linear[workload.VisualRotation])
	if err != nil {
		return nil, err
	}
	aims, err := blend.NewFuncs(protocol.Linear[workload.VisualAim])
	if err != nil {
		return nil, err
	}
	for col, by := range []blend.Funcs{positions, rotations, aims} {
		kinds[col] = snapshot.Kind{Size: snapshotSizes[col], Blend: by.Blend, Each: by.Each}
	}
	s := &snapshotScene{store: snapshot.New(kinds, 60), limit: limits.NewSnapshotLimit(snapshotEntities)}
	s.arrived = limits.NewSnapshotLimit(snapshotEntities).To
	for range snapshotEntities {
		s.slots = append(s.slots, s.store.Add(1))
	}
	for col, size := range snapshotSizes {
		s.shown[col], s.columns[col] = make([]byte, size*snapshotEntities), make([]byte, size*snapshotEntities)
	}
	s.value = func(col int) []byte {
		size := snapshotSizes[col]
		return s.columns[col][s.row*size : (s.row+1)*size]
	}
	for range 2 * snapshotDelay { // all entities are shown, and have samples ahead
		s.nextTick()
		s.receive()
	}
	return s, nil
}

// nextFrames begins a tick, the samples of which arrive on both sides.
func (s *snapshotScene) nextFrames() {
	s.tick++
	shown := s.tick - snapshotDelay
	s.limit.Arrive(shown)
	fillSnapshot(&s.limit.From, shown)
	fillSnapshot(&s.limit.To, shown+1)
	s.fill(s.tick)
	s.receive()
}

// nextTick begins a tick, shows its first frame, and makes a sample that can arrive after it.
func (s *snapshotScene) nextTick() {
	s.tick++
	s.store.Advance(1, entangle.Tick(s.tick-snapshotDelay), 0.25)
	s.fill(s.tick)
}

// fill makes the sample of a tick.
func (s *snapshotScene) fill(tick int) {
	fillSnapshot(&s.arrived, tick)
	write := func(to []byte, numbers ...float32) {
		for i, v := range numbers {
			binary.NativeEndian.PutUint32(to[4*i:], math.Float32bits(v))
		}
	}
	for i := range snapshotEntities {
		p, r, a := &s.arrived.Positions[i], &s.arrived.Rotations[i], &s.arrived.Aims[i]
		write(s.columns[0][12*i:], p.X, p.Y, p.Z)
		write(s.columns[1][16*i:], r.Q[:]...)
		write(s.columns[2][8*i:], a.X, a.Y)
	}
}

func fillSnapshot(c *limits.SnapshotColumns, tick int) {
	for i := range c.Positions {
		c.Positions[i] = limits.VisualAt(i, tick)
		turnVisual(&c.Rotations[i], i, tick)
		c.Aims[i] = workload.VisualAim{X: float32(i + tick), Y: float32(i - tick)}
	}
}

func (s *snapshotScene) receive() {
	all := set.MaskOf(0, 1, 2)
	for i, slot := range s.slots {
		s.row = i
		s.store.AddSample(slot, entangle.Tick(s.tick), all, s.value)
	}
}

func (s *snapshotScene) show() {
	for _, fraction := range snapshotFrames {
		s.store.Advance(1, entangle.Tick(s.tick-snapshotDelay), fraction)
		s.store.Select(s.slots)
		for col, dst := range s.shown {
			s.store.Show(col, dst)
		}
	}
}

func (s *snapshotScene) showLimit() {
	for _, fraction := range snapshotFrames {
		s.limit.Show(float64(s.tick-snapshotDelay) + fraction)
	}
}

// verify compares the shown values.
func (s *snapshotScene) verify() error {
	shown := &s.limit.Shown
	for i := range snapshotEntities {
		p, r, a := &shown.Positions[i], &shown.Rotations[i], &shown.Aims[i]
		for col, want := range [3][]float32{{p.X, p.Y, p.Z}, r.Q[:], {a.X, a.Y}} {
			for n, v := range want {
				got := math.Float32frombits(binary.NativeEndian.Uint32(s.shown[col][i*snapshotSizes[col]+4*n:]))
				if !(math.Abs(float64(got-v)) < 1e-4) {
					return fmt.Errorf("number %d in column %d of entity %d is shown as %g instead of %g", n, col, i, got, v)
				}
			}
		}
	}
	return nil
}
