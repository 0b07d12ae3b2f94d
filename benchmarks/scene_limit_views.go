package main

import (
	"encoding/binary"
	"math/bits"
)

// A view is what one client sees: as many entities as all others, from a place of its
// own on, so that the views of neighbours overlap.
const (
	viewSize = 500
	viewStep = 48 // entities from one client's first to the next one's
)

// inView reports whether a client sees an entity of a world of that many.
func inView(client, entity, entities int) bool {
	return (entity-client*viewStep%entities+entities)%entities < viewSize
}

// viewWord is what a client sees of 64 entities.
type viewWord struct {
	at   int
	mask uint64
}

// see gives every client of the limit its view.
func (l *sceneLimit) see() {
	l.views = make([][]viewWord, len(l.clients))
	for client := range l.views {
		for at := range l.moved {
			word := viewWord{at: at}
			for i := range min(64, len(l.codes)-64*at) {
				if inView(client, 64*at+i, len(l.codes)) {
					word.mask |= 1 << i
				}
			}
			if word.mask != 0 {
				l.views[client] = append(l.views[client], word)
			}
		}
	}
}

// sendViews is the whole work where each client sees something else.
func (l *sceneLimit) sendViews() {
	l.tick++
	l.detect()
	l.encode()
	for i := range l.clients {
		l.assemble(&l.clients[i], l.views[i], l.moved)
		l.close(&l.clients[i])
	}
}

// sendGrid is the whole work where what each client sees follows from where all are.
func (l *sceneLimit) sendGrid() {
	l.tick++
	l.detect()
	l.encode()
	l.look()
	for i := range l.clients {
		c := &l.clients[i]
		l.lookUp(i)
		l.assemble(c, l.told, l.all)
		l.takeAway(c, l.gone)
		l.close(c)
	}
}

// walk has a grid decide what the clients see, from where walkers are.
func (l *sceneLimit) walk(w *walkers) {
	l.walkers, l.viewers = w, viewersOf(len(l.clients))
	l.grid = newWalkGrid(len(l.codes), len(l.clients))
	l.look() // who has come into sight may stay longer
	l.all = make([]uint64, len(l.moved))
	for i := range l.all {
		l.all[i] = ^uint64(0)
	}
}

// look finds who sees whom, if a grid decides that.
func (l *sceneLimit) look() {
	if l.grid != nil {
		l.grid.update(l.walkers.poses, l.viewers)
	}
}

// lookUp finds what there is to be told to a client: what it sees that moved or has come
// into sight, and what has left it.
func (l *sceneLimit) lookUp(client int) {
	told, gone := l.told[:0], l.gone[:0]
	seen, changed := l.grid.seen[client], l.grid.changed[client]
	for at, moved := range l.moved {
		if mask := (moved | changed[at]) & seen[at]; mask != 0 {
			told = append(told, viewWord{at: at, mask: mask})
		}
		if mask := changed[at] &^ seen[at]; mask != 0 {
			gone = append(gone, viewWord{at: at, mask: mask})
		}
	}
	l.told, l.gone = told, gone
}

// assemble copies what is to be told of a view, entity by entity, and seals what fills a
// packet.
func (l *sceneLimit) assemble(c *limitClient, view []viewWord, told []uint64) {
	c.out.reset()
	n, last := len(l.head(0)), -1
	for _, seen := range view {
		for mask := told[seen.at] & seen.mask; mask != 0; mask &= mask - 1 {
			i := seen.at<<6 | bits.TrailingZeros64(mask)
			if n > len(l.buf)-maxGapSize-sceneCodeSize {
				c.seal(l.buf[:n])
				n, last = len(l.head(len(c.out.ends))), -1
			}
			gap := i - last
			if gap >= 255 {
				n += copy(l.buf[n:], []byte{255, byte(gap), byte(gap >> 8)}) - 1
			} else {
				l.buf[n] = byte(gap)
			}
			to := (*[1 + sceneCodeSize]byte)(l.buf[n:])
			binary.LittleEndian.PutUint64(to[1:], l.codes[i].low)
			binary.LittleEndian.PutUint16(to[9:], l.codes[i].high)
			n, last = n+len(to), i
		}
	}
	l.filled = n
}

// takeAway names what is not in sight any more, each in three bytes.
func (l *sceneLimit) takeAway(c *limitClient, gone []viewWord) {
	n := l.filled
	for _, word := range gone {
		for mask := word.mask; mask != 0; mask &= mask - 1 {
			if n > len(l.buf)-maxGapSize {
				c.seal(l.buf[:n])
				n = len(l.head(len(c.out.ends)))
			}
			i := word.at<<6 | bits.TrailingZeros64(mask)
			n += copy(l.buf[n:], []byte{byte(i), byte(i >> 8), byte(i >> 16)})
		}
	}
	l.filled = n
}

// close seals a client's last packet, if anything is in it.
func (l *sceneLimit) close(c *limitClient) {
	if l.filled > limitHead {
		c.seal(l.buf[:l.filled])
	}
}
