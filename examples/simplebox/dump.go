package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

// dumper writes a world as text, with the values that are sent on the wire and in the same order in
// every process: one line for each component of each entity with an ID. Two worlds are equal if
// their dumps are, and `diff` shows where they differ.
type dumper struct {
	world    *ecs.World
	filter   *generic.Filter1[ID]
	columns  []dumpColumn
	entities []numbered
}

// numbered is an entity and its ID.
type numbered struct {
	number uint32
	entity ecs.Entity
}

// dumpColumn writes the component of one type to a dump, if an entity has it.
type dumpColumn struct {
	typ    reflect.Type
	append func(dst []byte, e ecs.Entity) (line []byte, has bool)
}

// newDumper returns a dumper of the game's entities: replicated ones on a server, and replicas on a client, without the
// twins of predicted ones.
func newDumper(p *protocol.Protocol, w *ecs.World) *dumper {
	return &dumper{
		world: w, filter: generic.NewFilter1[ID]().Without(generic.T[components.ConfirmedOf]()),
		columns: []dumpColumn{
			dumpColumnOf[ID](p, w),
			dumpColumnOf[Position](p, w),
			dumpColumnOf[Box](p, w),
			dumpColumnOf[Alarm](p, w),
			dumpColumnOf[components.ControlledBy](p, w),
			dumpColumnOf[Steer](p, w),
		},
	}
}

func dumpColumnOf[T any](p *protocol.Protocol, w *ecs.World) dumpColumn {
	typ := reflect.TypeFor[T]()
	values := generic.NewMap[T](w)
	return dumpColumn{typ: typ, append: func(dst []byte, e ecs.Entity) ([]byte, bool) {
		value := values.Get(e)
		if value == nil {
			return dst, false
		}
		line, err := protocol.AppendComponent(p, dst, value)
		if err != nil {
			panic(err) // every type is registered and has no entity fields
		}
		return line, true
	}}
}

// dump returns the dump of the world. Each line has the ID of an entity, the name of a component,
// and its encoding in hexadecimal.
func (d *dumper) dump() []byte {
	d.entities = d.entities[:0]
	for query := d.filter.Query(d.world); query.Next(); {
		d.entities = append(d.entities, numbered{number: query.Get().N, entity: query.Entity()})
	}
	slices.SortFunc(d.entities, func(a, b numbered) int { return int(int64(a.number) - int64(b.number)) })
	var text bytes.Buffer
	var encoded []byte
	for _, e := range d.entities {
		for _, column := range d.columns {
			var has bool
			if encoded, has = column.append(encoded[:0], e.entity); has {
				fmt.Fprintf(&text, "%d %v %x\n", e.number, column.typ, encoded)
			}
		}
	}
	return text.Bytes()
}

// hashOf returns the hash of a dump.
func hashOf(dump []byte) string {
	sum := sha256.Sum256(dump)
	return hex.EncodeToString(sum[:])
}

// spoil changes one value of one entity, to check that a comparison notices it.
func spoil(w *ecs.World) {
	filter := generic.NewFilter1[Position]()
	query := filter.Query(w)
	defer query.Close()
	if query.Next() {
		at := query.Get()
		at.X = inField(fieldSize - at.X)
	}
}
