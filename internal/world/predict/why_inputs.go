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
	tick    entangle.Tick
	streams []whyStream
	values  []byte
}

type whyStream struct {
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
		y.used.recordTick(y.used.time.Tick)
	}
}

func (i *whyInputs) recordTick(tick entangle.Tick) {
	t := i.tickEntry(tick)
	t.tick, t.streams, t.values = tick, t.streams[:0], t.values[:0]
	for kind := range i.kinds {
		k := &i.kinds[kind]
		for q := i.world.Query(&k.driven); q.Next(); {
			e := q.Entity()
			from := len(t.values)
			t.values = append(t.values, k.cells.Bytes(k.cells.At(e))...)
			t.streams = append(t.streams, whyStream{e, kind, i.inputs.Status(kind, e), from, len(t.values)})
		}
	}
}

func (i *whyInputs) tickEntry(tick entangle.Tick) *whyTick {
	return &i.ticks[int(uint32(tick)%uint32(len(i.ticks)))]
}

// copyInput copies the input that an entity had in a tick. If the entity has several types of
// input, it copies that of the first type with an input.
func (i *whyInputs) copyInput(u *usedInput, tick entangle.Tick, e ecs.Entity) {
	u.none()
	t := i.tickEntry(tick)
	if t.tick != tick {
		return
	}
	for _, stream := range t.streams {
		if stream.entity != e || u.kind >= 0 && stream.status == event.NoInput {
			continue
		}
		u.kind, u.status = stream.kind, stream.status
		u.value.copyValue(t.values[stream.from:stream.to])
		if u.status != event.NoInput {
			return
		}
	}
}
