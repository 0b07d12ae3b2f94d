package cases

import (
	"runtime"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// In the case rollback, a client predicts 1,000 entities and is eight ticks ahead of the server,
// which has moved one of them in a way that the client could not predict. One operation is the work
// that this causes in a frame: compare the confirmed state with the histories, roll back to the
// server's tick, and replay eight ticks, with histories. In each tick the same system takes about
// 20 ns per entity. The figure is the additional time over the same eight ticks of the same system
// in a world without replication, compared with copying the predicted columns: once for each tick
// and once for the rollback.
//
// With churn, a tenth of the entities change their components during the eight ticks, on the server
// as well as in the world without replication.
const (
	rollbackEntities = 1_000
	rollbackDepth    = 8
	rollbackPeriod   = 80 // ticks in which every entity changes its structure once
)

func rollbackVariants() []report.Variant {
	of := func(name string, cfg rollbackConfig) report.Variant {
		return report.Variant{
			Name: name, Goal: 2, Unit: "x copying the columns",
			Prepare: func() (report.Sides, error) { return rollbackPrepare(cfg) },
		}
	}
	return []report.Variant{
		of("rollback/3-columns", rollbackConfig{columns: 3}),
		of("rollback/6-columns", rollbackConfig{columns: 6}),
		of("rollback/churn", rollbackConfig{columns: 6, churn: true}),
		{Name: "rollback/memory", Unit: "bytes", Rounds: memoryRounds, Prepare: rollbackMemory},
	}
}

// rollbackConfig describes one variant.
type rollbackConfig struct {
	columns  int // the number of predicted columns
	churn    bool
	entities int  // 0 stands for rollbackEntities
	none     bool // nothing is predicted
}

func rollbackPrepare(cfg rollbackConfig) (report.Sides, error) {
	g, err := newRollbackGame(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	plain, limit := newRollbackPlain(cfg), newRollbackLimit(cfg)
	var more, copied []float64
	return report.Sides{
		Before: g.runTick,
		Ours: func() {
			took := report.Clock(g.rollBack)
			more = append(more, took-report.Clock(plain.replayTicks))
		},
		Limit:    func() { copied = append(copied, report.Clock(limit.copy)) },
		Figure:   func() float64 { return report.Median(more) / report.Median(copied) },
		Figures:  func() map[string]float64 { return map[string]float64{"more_ns": report.Median(more)} },
		Verify:   g.verify,
		Anchors:  []report.Anchor{{Name: "copy", Run: limit.anchor}},
		Anchored: true,
	}, nil
}

// rollbackLimit is plain columns and copies of them for some ticks, all in one block of memory, in
// the order in which they are copied.
type rollbackLimit struct {
	now   [][]byte
	ticks [rollbackDepth][][]byte
	a, b  [][]byte // as many pieces of the same sizes as copy copies, for the anchor
}

func newRollbackLimit(cfg rollbackConfig) *rollbackLimit {
	all := rollbackPieces(cfg, rollbackDepth+1)
	l := &rollbackLimit{now: all[:cfg.columns]}
	for i := range l.ticks {
		l.ticks[i] = all[(i+1)*cfg.columns:][:cfg.columns]
	}
	l.a, l.b = rollbackPieces(cfg, rollbackDepth+1), rollbackPieces(cfg, rollbackDepth+1)
	return l
}

// rollbackPieces returns the columns of some ticks, all in one block of memory.
func rollbackPieces(cfg rollbackConfig, ticks int) (pieces [][]byte) {
	total := 0
	for _, size := range rollbackSizes[:cfg.columns] {
		total += size * rollbackEntities
	}
	rest := make([]byte, ticks*total)
	for range ticks {
		for _, size := range rollbackSizes[:cfg.columns] {
			n := rollbackEntities * size
			pieces, rest = append(pieces, rest[:n:n]), rest[n:]
		}
	}
	return pieces
}

// copy rolls back to the first tick, and stores each tick.
func (l *rollbackLimit) copy() {
	for col := range l.now {
		copy(l.now[col], l.ticks[0][col])
	}
	for _, tick := range l.ticks {
		for col := range l.now {
			copy(tick[col], l.now[col])
		}
	}
}

func (l *rollbackLimit) anchor() {
	for i := range l.a {
		copy(l.a[i], l.b[i])
	}
}

// rollbackPlain is the system in a world without replication.
type rollbackPlain struct {
	world *ecs.World
	step  *rollbackStep
	tick  uint32
}

func newRollbackPlain(cfg rollbackConfig) *rollbackPlain {
	w := ecs.NewWorld(rollbackEntities)
	p := &rollbackPlain{world: &w, step: newRollbackStep(&w, cfg)}
	for number := range rollbackEntities {
		p.step.spawn(number)
	}
	return p
}

func (p *rollbackPlain) replayTicks() {
	for range rollbackDepth {
		p.tick++
		p.step.update(p.tick)
	}
}

// rollbackMemory reports how much more memory a client needs for a predicted entity than for any
// other entity, with three columns, for the ticks that a client keeps if its game sets no limit.
func rollbackMemory() (report.Sides, error) {
	cfg := rollbackConfig{columns: 3, entities: rollbackMany}
	g, all, err := rollbackHeap(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	plain := newRollbackPlain(cfg)
	cfg.none = true
	_, none, err := rollbackHeap(cfg)
	return report.Sides{
		Before: g.runTick, Ours: g.rollBack, Limit: plain.replayTicks, Verify: g.verify,
		Figure: func() float64 { return (all - none) / rollbackMany },
	}, err
}

const rollbackMany = 10_000

// rollbackHeap returns a game, and the heap that each of its sides takes.
func rollbackHeap(cfg rollbackConfig) (*rollbackGame, float64, error) {
	before := heapInUse()
	g, err := newRollbackGame(cfg)
	used := heapInUse() - before
	runtime.KeepAlive(g)
	return g, used, err
}
