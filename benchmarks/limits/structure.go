package limits

import (
	"bytes"
	"encoding/binary"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// StructureLimit is the server's side of the cases spawn, despawn and large by hand, for entities with
// one component and a marker: a column of each in the order of the rows, and a copy of it for finding
// changes. It knows the rows that the game added and removed, numbers new entities, and lays out the
// payloads once for all clients. Entities with consecutive ids in consecutive rows share a head, and
// values of the wire's own form are copied as a whole. It does not track what the clients have.
type StructureLimit struct {
	codec   Codec
	values  structureColumn
	marks   structureColumn
	rows    []uint32 // by id
	ids     []uint32 // by row, of rows that have one
	free    []uint32 // ids of entities that have ended
	ended   []uint32 // ids that ended since the last tick
	changed []uint32 // ids, found by detect
	fresh   []uint32 // ids, given by number

	payloads workload.Packets
	Clients  []workload.Packets
	tick     uint32
}

// structureColumn is a component of all entities, and a copy of it as of the last tick.
type structureColumn struct {
	size     int
	now, old []byte
}

// structureMark is the size of the marker in bytes.
const structureMark = 24

func NewStructureLimit(codec Codec, clients int) *StructureLimit {
	return &StructureLimit{
		codec: codec, Clients: make([]workload.Packets, clients),
		values: structureColumn{size: codec.Size}, marks: structureColumn{size: structureMark},
	}
}

// Spawn adds rows of the game, by their values.
func (l *StructureLimit) Spawn(values []byte) {
	l.values.now = append(l.values.now, values...)
	l.marks.now = append(l.marks.now, make([]byte, len(values)/l.codec.Size*structureMark)...)
}

// Set overwrites all rows of the game.
func (l *StructureLimit) Set(values []byte) { copy(l.values.now, values) }

// Despawn removes the last rows of the game.
func (l *StructureLimit) Despawn(n int) {
	kept := l.Rows() - n
	l.ended = append(l.ended, l.ids[kept:]...)
	l.values.now, l.marks.now = l.values.now[:kept*l.codec.Size], l.marks.now[:kept*structureMark]
}

// Rows returns the number of entities.
func (l *StructureLimit) Rows() int { return len(l.values.now) / l.codec.Size }

// Send does all work of a tick.
func (l *StructureLimit) Send() {
	l.observe()
	l.share(l.fresh)
}

// SendAll does all work of a tick in which the clients join.
func (l *StructureLimit) SendAll() {
	l.observe()
	l.share(l.ids)
}

// observe finds what has happened since the last tick.
func (l *StructureLimit) observe() {
	l.tick++
	l.end()
	l.changed = l.values.detect(l.ids, l.changed[:0])
	l.changed = l.marks.detect(l.ids, l.changed)
	l.number()
}

// share lays out the payloads, and copies them for each client.
func (l *StructureLimit) share(spawned []uint32) {
	l.payloads.Reset()
	l.pack(structureEnds, l.ended)
	l.pack(structureValues, l.changed)
	l.pack(structureSpawns, spawned)
	l.ended = l.ended[:0]
	for i := range l.Clients {
		c := &l.Clients[i]
		c.Data = append(c.Data[:0], l.payloads.Data...)
		c.Ends = append(c.Ends[:0], l.payloads.Ends...)
	}
}

// Size returns the bytes of the last tick for each client.
func (l *StructureLimit) Size() int { return len(l.payloads.Data) }

// end removes the rows that ended from the copies, as the game did from the columns.
func (l *StructureLimit) end() {
	for _, id := range l.ended {
		row, last := int(l.rows[id]), len(l.ids)-1
		l.values.drop(row, last)
		l.marks.drop(row, last)
		moved := l.ids[last]
		l.ids[row], l.rows[moved] = moved, uint32(row)
		l.ids = l.ids[:last]
	}
	for i := len(l.ended) - 1; i >= 0; i-- {
		l.free = append(l.free, l.ended[i])
	}
}

// drop removes a row of the copy. The last one fills the hole.
func (c *structureColumn) drop(row, last int) {
	copy(c.old[row*c.size:(row+1)*c.size], c.old[last*c.size:])
	c.old = c.old[:last*c.size]
}

// structureBlock is how many bytes are compared at once, about.
const structureBlock = 4096

// detect appends the ids of the rows that have changed, and refreshes the copy.
func (c *structureColumn) detect(ids, changed []uint32) []uint32 {
	block := structureBlock / c.size * c.size
	for at := 0; at < len(c.old); at += block {
		end := min(at+block, len(c.old))
		n, o := c.now[at:end], c.old[at:end]
		if bytes.Equal(n, o) {
			continue
		}
		for i := 0; i < len(n); i += c.size {
			if !bytes.Equal(n[i:i+c.size], o[i:i+c.size]) {
				changed = append(changed, ids[(at+i)/c.size])
			}
		}
		copy(o, n)
	}
	return changed
}

// number gives ids to the new rows, and adds them to the copies.
func (l *StructureLimit) number() {
	l.fresh = l.fresh[:0]
	for row := len(l.ids); row < l.Rows(); row++ {
		id := uint32(len(l.rows))
		if last := len(l.free) - 1; last >= 0 {
			id, l.free = l.free[last], l.free[:last]
			l.rows[id] = uint32(row)
		} else {
			l.rows = append(l.rows, uint32(row))
		}
		l.ids, l.fresh = append(l.ids, id), append(l.fresh, id)
	}
	for _, c := range [...]*structureColumn{&l.values, &l.marks} {
		c.old = append(c.old, c.now[len(c.old):]...)
	}
}

// A payload of the limit is the tick in 4 bytes, the packet's index within the tick in one byte, and
// what happened in one byte; then runs of entities: the first id in 4 bytes and a count in 2, and
// their values, unless they ended.
const (
	structureEnds = iota
	structureValues
	structureSpawns

	structureHead = LimitHead + 1
	structureRun  = 6
)

// pack lays out payloads about entities, one behind the other.
func (l *StructureLimit) pack(what byte, ids []uint32) {
	size, code := l.codec.Size, l.codec.Code
	if what == structureEnds {
		code = 0
	}
	b := l.payloads.Data
	for len(ids) > 0 {
		end := len(b) + entangle.MaxPayload
		b = l.begin(b, what)
		for len(ids) > 0 && len(b)+structureRun+code <= end {
			most := min(len(ids), 1<<16-1)
			if code > 0 {
				most = min(most, (end-len(b)-structureRun)/code)
			}
			n := l.run(ids[:most], code > 0)
			b = binary.LittleEndian.AppendUint32(b, ids[0])
			b = binary.LittleEndian.AppendUint16(b, uint16(n))
			if code > 0 {
				row := int(l.rows[ids[0]])
				b = l.codec.Append(b, l.values.now[row*size:(row+n)*size])
			}
			ids = ids[n:]
		}
		l.payloads.Add(b)
	}
}

// run returns how many of the ids are consecutive, with rows that are, too, if their values are sent.
func (l *StructureLimit) run(ids []uint32, valued bool) int {
	n, first := 1, ids[0]
	for n < len(ids) && ids[n] == first+uint32(n) {
		n++
	}
	if valued {
		row := l.rows[first]
		for i, at := range l.rows[first+1 : int(first)+n] {
			if at != row+uint32(i)+1 {
				return i + 1
			}
		}
	}
	return n
}

// begin appends the head of a payload.
func (l *StructureLimit) begin(b []byte, what byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, l.tick)
	return append(b, byte(len(l.payloads.Ends)), what)
}
