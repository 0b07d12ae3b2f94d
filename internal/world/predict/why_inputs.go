package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/mlange-42/arche/ecs"
)

// whyInputs records the inputs that predicted entities had in the last ticks. The input streams
// cannot answer that later: they then hold inputs that have arrived since.
type whyInputs struct {
	world  *ecs.World
	inputs *input.Inputs
	time   *components.Time
	kinds  []whyKind
	ticks  []whyTick // by tick, modulo their number
}

// whyKind is one type of input.
type whyKind struct {
	driven ecs.CachedFilter
	cells  columns.Cells
}

// whyTick is the inputs of one tick.
type whyTick struct {
	tick   entangle.Tick
	lanes  []whyLane
	values []byte
}

type whyLane struct {
	entity   ecs.Entity
	kind     int
	status   event.InputStatus
	from, to int // in values
}

// usedInput is the input that an entity had in a tick. kind is below 0 if it had none.
type usedInput struct {
	kind   int
	status event.InputStatus
	value  keptValue
}

func (u *usedInput) none() { u.kind, u.status = -1, event.NoInput }

func newWhyInputs(c WhyConfig) whyInputs {
	i := whyInputs{world: c.World, inputs: c.Inputs, ticks: make([]whyTick, c.Ticks), time: ecs.GetResource[components.Time](c.World)}
	predicted := ecs.ComponentID[components.Predicted](c.World)
	for _, info := range registry.Of(c.Protocol).Inputs {
		id := ecs.TypeID(c.World, info.Type)
		filter := ecs.All(id, predicted)
		i.kinds = append(i.kinds, whyKind{driven: c.World.Cache().Register(&filter), cells: columns.NewWriter(c.World).Cells(id)})
	}
	return i
}

// NoteInputs records the inputs of predicted entities in the current tick, also when it is
// replayed. It runs once they are written.
func (y *Why) NoteInputs() {
	if y != nil && len(y.used.kinds) > 0 {
		y.used.note(y.used.time.Tick)
	}
}

func (i *whyInputs) note(tick entangle.Tick) {
	t := i.of(tick)
	t.tick, t.lanes, t.values = tick, t.lanes[:0], t.values[:0]
	for kind := range i.kinds {
		k := &i.kinds[kind]
		for q := i.world.Query(&k.driven); q.Next(); {
			e := q.Entity()
			from := len(t.values)
			t.values = append(t.values, k.cells.Bytes(k.cells.At(e))...)
			t.lanes = append(t.lanes, whyLane{e, kind, i.inputs.Status(kind, e), from, len(t.values)})
		}
	}
}

func (i *whyInputs) of(tick entangle.Tick) *whyTick {
	return &i.ticks[int(uint32(tick)%uint32(len(i.ticks)))]
}

// at copies the input that an entity had in a tick: of several types the first one with an input.
func (i *whyInputs) at(u *usedInput, tick entangle.Tick, e ecs.Entity) {
	u.none()
	t := i.of(tick)
	if t.tick != tick {
		return
	}
	for _, lane := range t.lanes {
		if lane.entity != e || u.kind >= 0 && lane.status == event.NoInput {
			continue
		}
		u.kind, u.status = lane.kind, lane.status
		u.value.keep(t.values[lane.from:lane.to])
		if u.status != event.NoInput {
			return
		}
	}
}
