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
		l.assemble(&l.clients[i], l.views[i])
	}
}

// assemble copies what moved of a view, entity by entity, and seals it.
func (l *sceneLimit) assemble(c *limitClient, view []viewWord) {
	c.out.reset()
	n, last := len(l.head(0)), -1
	for _, seen := range view {
		for mask := l.moved[seen.at] & seen.mask; mask != 0; mask &= mask - 1 {
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
	if n > limitHead {
		c.seal(l.buf[:n])
	}
}
