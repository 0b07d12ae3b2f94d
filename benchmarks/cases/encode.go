package cases

import (
	"bytes"
	"errors"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The case encode turns 1,000 changed entities with a position and a rotation from the world's
// columns into bits. Our side is the compiled plan, entity by entity, in the order in which Observe
// reports them. The limit is a codec written by hand for this one type, over an array, with the
// same bit writer. Both write the same bits. One operation is all 1,000 entities.
const encodeEntities = 1_000

func encodeVariants() []report.Variant {
	return []report.Variant{{Name: "encode/pose", Goal: 1.35, Prepare: encodePrepare}}
}

func encodePrepare() (report.Sides, error) {
	plan, err := wire.ComponentPlan[workload.Pose]()
	if err != nil {
		return report.Sides{}, err
	}
	table, err := encodeWorld()
	if err != nil {
		return report.Sides{}, err
	}
	poses := make([]workload.Pose, encodeEntities)
	for i := range poses {
		poses[i] = workload.PoseOf(i)
	}
	var ours, limit bits.Writer
	oursBuf, limitBuf := make([]byte, 0, 16<<10), make([]byte, 0, 16<<10)
	return report.Sides{
		Ours: func() {
			ours.Reset(oursBuf)
			for _, slot := range table.Changed(0) {
				plan.Encode(&ours, table.Value(slot, 0), nil)
			}
		},
		Limit: func() {
			limit.Reset(limitBuf)
			for i := range poses {
				encodeByHand(&limit, &poses[i])
			}
		},
		Bytes: func() int { return len(ours.Finish()) },
		Verify: func() error {
			if !bytes.Equal(ours.Finish(), limit.Finish()) {
				return errors.New("the bits differ")
			}
			return nil
		},
	}, nil
}

// encodeWorld returns a table of which the last Observe reported all entities as changed.
func encodeWorld() (*columns.Table, error) {
	w := ecs.NewWorld(encodeEntities)
	marker, pose := ecs.ComponentID[detectMarker](&w), ecs.ComponentID[workload.Pose](&w)
	table, err := columns.New(&w, marker, []columns.Column{{ID: pose, Size: workload.PoseSize}})
	if err != nil {
		return nil, err
	}
	dispatch := listener.NewDispatch(table.Listener())
	w.SetListener(&dispatch)
	for range encodeEntities {
		w.NewEntity(marker, pose)
	}
	if err := table.Observe(1); err != nil {
		return nil, err
	}
	filter := ecs.All(pose)
	i := 0
	for q := w.Query(&filter); q.Next(); i++ {
		*(*workload.Pose)(q.Get(pose)) = workload.PoseOf(i)
	}
	return table, table.Observe(2)
}

// encodeByHand encodes a pose with knowledge of its type and its ranges, and assumes that
// quaternions are of length one or nearly so.
func encodeByHand(w *bits.Writer, p *workload.Pose) {
	w.Put(workload.CoordinateOf(p.Pos[0])|workload.CoordinateOf(p.Pos[1])<<17|workload.CoordinateOf(p.Pos[2])<<34, 51)
	w.Put(workload.RotationOf(&p.Rot), 29)
}
