package limits

import (
	"encoding/binary"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
)

// StructureClient is a client of a StructureLimit with an Arche world, because that is where the
// entities must be: it adds the entities of a run at once, as Arche does fastest, reads their values
// into the components, and notes the entity of each id. It refuses payloads that no server sends.
type StructureClient struct {
	World    *ecs.World
	code     int
	entities []ecs.Entity                          // by id
	read     func(first, n int, codes []byte) bool // reads new entities
}

// NewStructureClient returns a client for entities with a component of type T, the value of which has
// code bytes.
func NewStructureClient[T any](code int, read func(values []T, codes []byte) bool) *StructureClient {
	w := ecs.NewWorld()
	c := &StructureClient{World: &w, code: code}
	id := ecs.ComponentID[T](&w)
	builder := ecs.NewBuilder(&w, ecs.ComponentID[components.Remote](&w), id)
	c.read = func(first, n int, codes []byte) bool {
		if more := first + n - len(c.entities); more > 0 {
			c.entities = append(c.entities, make([]ecs.Entity, more)...)
		}
		var values []T
		entities := c.entities[first : first+n]
		for q := builder.NewBatchQ(n); q.Next(); {
			if values == nil { // new rows follow one another
				values = reflect.SliceAt(reflect.TypeFor[T](), q.Get(id), n).Interface().([]T)
			}
			entities[0], entities = q.Entity(), entities[1:]
		}
		return read(values, codes)
	}
	return c
}

// limitMost is the largest number of entities that a client accepts.
const limitMost = 1 << 17

// Apply reads a payload.
func (c *StructureClient) Apply(b []byte) bool {
	return readStructure(b, c.code, func(what byte, first, n int, codes []byte) bool {
		switch {
		case what == structureSpawns && first+n <= limitMost:
			return c.read(first, n, codes)
		case what == structureEnds && first+n <= len(c.entities):
			for _, e := range c.entities[first : first+n] {
				c.World.RemoveEntity(e)
			}
			return true
		}
		return false
	})
}

// readStructure reads a payload, and reports whether do could read each of its runs.
func readStructure(b []byte, code int, do func(what byte, first, n int, codes []byte) bool) bool {
	if len(b) < structureHead {
		return false
	}
	what := b[LimitHead]
	if what == structureEnds {
		code = 0
	}
	for b = b[structureHead:]; len(b) > 0; {
		if len(b) < structureRun {
			return false
		}
		first, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[4:]))
		b = b[structureRun:]
		if n == 0 || len(b) < n*code || first > limitMost || !do(what, int(first), n, b[:n*code]) {
			return false
		}
		b = b[n*code:]
	}
	return true
}
