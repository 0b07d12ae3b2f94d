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

// assemble copies the records of a view, entity by entity, and seals each full packet.
func (l *SceneLimit) assemble(c *limitClient, view []viewWord, told []uint64) {
	c.Out.Reset()
	n, last := len(l.packetHead(0)), -1
	for _, seen := range view {
		for mask := told[seen.at] & seen.mask; mask != 0; mask &= mask - 1 {
			i := seen.at<<6 | bits.TrailingZeros64(mask)
			if n > len(l.buf)-MaxGapSize-SceneCodeSize {
				c.seal(l.buf[:n])
				n, last = len(l.packetHead(len(c.Out.Ends))), -1
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
				c.seal(l.buf[:n])
				n = len(l.packetHead(len(c.Out.Ends)))
			}
			i := word.at<<6 | bits.TrailingZeros64(mask)
			n += copy(l.buf[n:], []byte{byte(i), byte(i >> 8), byte(i >> 16)})
		}
	}
	l.filled = n
}

// sealPacket seals a client's last packet, unless it is empty.
func (l *SceneLimit) sealPacket(c *limitClient) {
	if l.filled > LimitHead {
		c.seal(l.buf[:l.filled])
	}
}
