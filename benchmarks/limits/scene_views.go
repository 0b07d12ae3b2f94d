package limits

import (
	"encoding/binary"
	"math/bits"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// A view is the set of entities that one client sees. All views have the same size. Each begins at
// an entity of its own, so that the views of neighbouring clients overlap.
const (
	ViewSize = 500
	ViewStep = 48 // entities from the first of one client's view to the first of the next client's
)

// InView reports whether a client sees an entity, in a world of so many entities.
func InView(client, entity, entities int) bool {
	return (entity-client*ViewStep%entities+entities)%entities < ViewSize
}

// viewWord is the part of a client's view among 64 entities.
type viewWord struct {
	at   int
	mask uint64
}

// See gives every client of the limit its view.
func (l *SceneLimit) See() {
	l.views = make([][]viewWord, len(l.Clients))
	for client := range l.views {
		for at := range l.Moved {
			word := viewWord{at: at}
			for i := range min(64, len(l.Codes)-64*at) {
				if InView(client, 64*at+i, len(l.Codes)) {
					word.mask |= 1 << i
				}
			}
			if word.mask != 0 {
				l.views[client] = append(l.views[client], word)
			}
		}
	}
}

// SendViews does all work of a tick in which each client has a view of its own.
func (l *SceneLimit) SendViews() {
	l.tick++
	l.Detect()
	l.encode()
	for i := range l.Clients {
		l.assemble(&l.Clients[i], l.views[i], l.Moved)
		l.sealPacket(&l.Clients[i])
	}
}

// SendGrid does all work of a tick in which the views follow from the positions of all entities.
func (l *SceneLimit) SendGrid() {
	l.tick++
	l.Detect()
	l.encode()
	l.Look()
	for i := range l.Clients {
		l.lookUp(i, l.Moved)
		l.sendSeen(&l.Clients[i])
	}
}

// sendSeen sends a client what lookUp has found.
func (l *SceneLimit) sendSeen(c *limitClient) {
	l.assemble(c, l.told, l.all)
	l.takeAway(c, l.gone)
	l.sealPacket(c)
}

// gridViews holds the views that are derived from a grid. It is empty if the case has no grid.
type gridViews struct {
	walkers    *workload.Walkers
	viewers    []int32 // the viewers' entities, by client
	Grid       *HandGrid
	told, gone []viewWord // the entities to send to the current client, and those that left its view
	all        []uint64   // a set of all entities
}

// Walk computes the first views of a grid from the positions of walkers.
func (l *SceneLimit) Walk(w *workload.Walkers) {
	l.walkers, l.viewers = w, workload.ViewersOf(len(l.Clients))
	l.Grid = NewWalkGrid(len(l.Codes), len(l.Clients))
	l.Look() // before the first step, because visible entities stay visible up to a longer distance
	l.all = everyEntity(len(l.Moved))
}

func everyEntity(words int) []uint64 {
	all := make([]uint64, words)
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}

// Look computes the views, if the case has a grid.
func (v *gridViews) Look() {
	if v.Grid != nil {
		v.Grid.Update(v.walkers.Poses, v.viewers)
	}
}

// lookUp finds the entities to send to a client: the visible ones that moved or became visible, and
// those that left its view.
func (v *gridViews) lookUp(client int, moved []uint64) {
	told, gone := v.told[:0], v.gone[:0]
	seen, changed := v.Grid.Seen[client], v.Grid.Changed[client]
	for at, moved := range moved {
		if mask := (moved | changed[at]) & seen[at]; mask != 0 {
			told = append(told, viewWord{at: at, mask: mask})
		}
		if mask := changed[at] &^ seen[at]; mask != 0 {
			gone = append(gone, viewWord{at: at, mask: mask})
		}
	}
	v.told, v.gone = told, gone
}

// baselines is the state of one client that a server cannot do without if it is to send again what is lost: of which
// tick the client has each entity, and the entities of the packets in flight.
type baselines struct {
	ticks   []uint32 // by entity: of the newest state that the client has acknowledged; 0: it does not have the entity
	sent    []int32  // the entities in all packets in flight; for an entity that left the view its complement (^)
	packets []sentPacket
	oldest  uint32 // baseline of the packet that is being written
}

// sentPacket is a packet in flight.
type sentPacket struct {
	tick uint32
	end  int // in baselines.sent
}

// add records that the current packet has an entity. One that the client did not have is sent until it arrives, so later
// updates may rely on it.
func (b *baselines) add(entity int, tick uint32) {
	switch base := b.ticks[entity]; {
	case base == 0:
		b.ticks[entity] = tick
	case base < b.oldest:
		b.oldest = base
	}
	b.sent = append(b.sent, int32(entity))
}

// Acknowledge makes each client acknowledge its packets of a tick that was so many ticks ago, and of earlier ones.
func (l *SceneLimit) Acknowledge(ago uint32) {
	for i := range l.Clients {
		b := &l.Clients[i].baselines
		from, done := 0, 0
		for ; done < len(b.packets) && l.tick-b.packets[done].tick >= ago; done++ {
			p := b.packets[done]
			for _, entity := range b.sent[from:p.end] {
				if entity >= 0 && b.ticks[entity] != 0 && b.ticks[entity] < p.tick {
					b.ticks[entity] = p.tick
				}
			}
			from = p.end
		}
		b.sent = b.sent[:copy(b.sent, b.sent[from:])]
		b.packets = b.packets[:copy(b.packets, b.packets[done:])]
		for k := range b.packets {
			b.packets[k].end -= from
		}
	}
}

// ViewHead is the size of the head of a payload of a view: that of any payload, and in one byte how many ticks the
// oldest baseline of its entities is ago.
const ViewHead = LimitHead + 1

// beginPacket begins a payload of a view, and returns the bytes of its head.
func (l *SceneLimit) beginPacket(c *limitClient) int {
	l.packetHead(len(c.Out.Ends))
	c.baselines.oldest = l.tick
	return ViewHead
}

// endPacket seals a payload of n bytes.
func (l *SceneLimit) endPacket(c *limitClient, n int) {
	b := &c.baselines
	l.buf[LimitHead] = byte(min(l.tick-b.oldest, 255))
	b.packets = append(b.packets, sentPacket{l.tick, len(b.sent)})
	c.seal(l.buf[:n])
}

// assemble copies the records of a view, entity by entity, and seals each full packet.
func (l *SceneLimit) assemble(c *limitClient, view []viewWord, told []uint64) {
	if c.baselines.ticks == nil {
		c.baselines.ticks = make([]uint32, len(l.Codes))
	}
	c.Out.Reset()
	n, last := l.beginPacket(c), -1
	for _, seen := range view {
		for mask := told[seen.at] & seen.mask; mask != 0; mask &= mask - 1 {
			i := seen.at<<6 | bits.TrailingZeros64(mask)
			if n > len(l.buf)-MaxGapSize-SceneCodeSize {
				l.endPacket(c, n)
				n, last = l.beginPacket(c), -1
			}
			gap := i - last
			if gap >= 255 {
				n += copy(l.buf[n:], []byte{255, byte(gap), byte(gap >> 8)}) - 1
			} else {
				l.buf[n] = byte(gap)
			}
			to := (*[1 + SceneCodeSize]byte)(l.buf[n:])
			binary.LittleEndian.PutUint64(to[1:], l.Codes[i].Low)
			binary.LittleEndian.PutUint16(to[9:], l.Codes[i].High)
			n, last = n+len(to), i
			c.baselines.add(i, l.tick)
		}
	}
	l.filled = n
}

// takeAway lists the entities that are no longer visible, each in three bytes.
func (l *SceneLimit) takeAway(c *limitClient, gone []viewWord) {
	n := l.filled
	for _, word := range gone {
		for mask := word.mask; mask != 0; mask &= mask - 1 {
			if n > len(l.buf)-MaxGapSize {
				l.endPacket(c, n)
				n = l.beginPacket(c)
			}
			i := word.at<<6 | bits.TrailingZeros64(mask)
			n += copy(l.buf[n:], []byte{byte(i), byte(i >> 8), byte(i >> 16)})
			c.baselines.ticks[i] = 0
			c.baselines.sent = append(c.baselines.sent, ^int32(i))
		}
	}
	l.filled = n
}

// sealPacket seals a client's last packet, unless it is empty.
func (l *SceneLimit) sealPacket(c *limitClient) {
	if l.filled > ViewHead {
		l.endPacket(c, l.filled)
	}
}
