package main

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/bits"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/entangle-ecs/entangle"
)

// sceneLimit does a server's work by hand, for worlds of nothing but poses in one
// array. It finds what moved, encodes each such entity once, and for each client
// lays out payloads and seals them. It knows nothing of what a client holds: it
// sends what moved, once, and whatever gets lost stays lost.
type sceneLimit struct {
	now, old []byte   // poses, encodePoseSize each
	moved    []uint64 // bits by entity
	count    int      // of them
	poses    poses
	codes    []sceneCode
	clients  []limitClient
	tick     uint32
	round    int

	shared sceneBag // payloads that are equal for all
	views  [][]viewWord
	buf    [entangle.MaxPayload]byte
	filled int // of buf, by assemble

	// With a grid:
	walkers    *walkers
	viewers    []int32 // entities, by client
	grid       *handGrid
	told, gone []viewWord // of the client at hand
	all        []uint64   // every entity
}

// sceneCode is an encoded pose; its 80 bits are ten bytes.
type sceneCode struct {
	low  uint64
	high uint16
}

const sceneCodeSize = 10

func newSceneLimit(entities, clients int) (*sceneLimit, error) {
	l := &sceneLimit{
		now: make([]byte, entities*encodePoseSize), old: make([]byte, entities*encodePoseSize),
		moved: make([]uint64, (entities+63)/64), codes: make([]sceneCode, entities),
		clients: make([]limitClient, clients), poses: scenePoses,
	}
	for i := range l.clients {
		if err := l.clients[i].init(byte(i)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// move does what the scene does in a tick.
func (l *sceneLimit) move(percent int) {
	l.round++
	for i := range l.codes {
		if percent == 100 || percent > 0 && chosen(i, l.round, percent) {
			l.set(i, l.poses.at(i, l.round))
		}
	}
}

func (l *sceneLimit) set(i int, p *encodePose) {
	at := l.now[i*encodePoseSize:][:encodePoseSize]
	for k, v := range p.Pos {
		binary.LittleEndian.PutUint32(at[4*k:], math.Float32bits(v))
	}
	for k, v := range p.Rot {
		binary.LittleEndian.PutUint32(at[12+4*k:], math.Float32bits(v))
	}
}

func (l *sceneLimit) pose(i int) encodePose {
	at := (*[encodePoseSize]byte)(l.now[i*encodePoseSize:])
	return encodePose{
		Pos: [3]float32{float(at[0:4]), float(at[4:8]), float(at[8:12])},
		Rot: [4]float32{float(at[12:16]), float(at[16:20]), float(at[20:24]), float(at[24:28])},
	}
}

func float(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// send is the whole work where all clients see everything.
func (l *sceneLimit) send() {
	l.tick++
	l.detect()
	l.encode()
	l.pack()
	for i := range l.clients {
		c := &l.clients[i]
		c.out.reset()
		for payload := range l.shared.each {
			c.seal(l.buf[:copy(l.buf[:], payload)])
		}
	}
}

// detect compares with the last tick, and refreshes it.
func (l *sceneLimit) detect() {
	now, old := l.now, l.old
	const block = 64 * encodePoseSize
	l.count = 0
	for w := range l.moved {
		n, o := now[w*block:min((w+1)*block, len(now))], old[w*block:min((w+1)*block, len(old))]
		l.moved[w] = 0
		if bytes.Equal(n, o) {
			continue
		}
		var mask uint64
		for row := uint(0); len(n) >= encodePoseSize; row++ {
			mask |= ne28((*[encodePoseSize]byte)(n), (*[encodePoseSize]byte)(o)) << (row & 63)
			n, o = n[encodePoseSize:], o[encodePoseSize:]
		}
		copy(old[w*block:], now[w*block:min((w+1)*block, len(now))])
		l.moved[w] = mask
		l.count += bits.OnesCount64(mask)
	}
}

func ne28(a, b *[encodePoseSize]byte) (n uint64) {
	if binary.LittleEndian.Uint64(a[:])^binary.LittleEndian.Uint64(b[:])|
		binary.LittleEndian.Uint64(a[8:])^binary.LittleEndian.Uint64(b[8:])|
		binary.LittleEndian.Uint64(a[16:])^binary.LittleEndian.Uint64(b[16:])|
		uint64(binary.LittleEndian.Uint32(a[24:])^binary.LittleEndian.Uint32(b[24:])) != 0 {
		n = 1
	}
	return n
}

// encode writes the code of each that moved.
func (l *sceneLimit) encode() {
	for w, mask := range l.moved {
		for ; mask != 0; mask &= mask - 1 {
			i := w<<6 | bits.TrailingZeros64(mask)
			pose := l.pose(i)
			l.codes[i] = codeOf(&pose)
		}
	}
}

// codeOf has the bits that encodeByHand writes.
func codeOf(p *encodePose) sceneCode {
	place := coordinate(p.Pos[0]) | coordinate(p.Pos[1])<<17 | coordinate(p.Pos[2])<<34
	turn := rotation(&p.Rot)
	return sceneCode{low: place | turn<<51, high: uint16(turn >> 13)}
}

// A payload of the limit is the tick in 4 bytes, in which packet of it it is in one,
// and what moved: its distance from the last one in a byte, or in three from 255 on,
// and its code. Where all moved there are no distances.
const (
	limitHead  = 5
	maxGapSize = 3
)

func (l *sceneLimit) head(number int) []byte {
	binary.LittleEndian.PutUint32(l.buf[:], l.tick)
	l.buf[4] = byte(number)
	return l.buf[:limitHead]
}

// pack lays out the payloads that are equal for all clients.
func (l *sceneLimit) pack() {
	l.shared.reset()
	all, need := l.count == len(l.codes), sceneCodeSize
	if !all {
		need += maxGapSize
	}
	b, last := l.head(0), -1
	for w, mask := range l.moved {
		for ; mask != 0; mask &= mask - 1 {
			i := w<<6 | bits.TrailingZeros64(mask)
			if len(b)+need > entangle.MaxPayload {
				l.shared.add(append(l.shared.data, b...))
				b, last = l.head(len(l.shared.ends)), -1
			}
			if !all {
				b = appendGap(b, i-last)
			}
			b, last = appendCode(b, &l.codes[i]), i
		}
	}
	if len(b) > limitHead {
		l.shared.add(append(l.shared.data, b...))
	}
}

func appendGap(b []byte, gap int) []byte {
	if gap < 255 {
		return append(b, byte(gap))
	}
	return append(b, 255, byte(gap), byte(gap>>8))
}

func appendCode(b []byte, code *sceneCode) []byte {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint64(b, code.low), code.high)
}

// limitClient seals as the session does: the same cipher, as many bytes beside it.
type limitClient struct {
	aead     cipher.AEAD
	nonce    [chacha20poly1305.NonceSize]byte
	data     [22]byte
	sequence uint64
	out      sceneBag
}

func (c *limitClient) init(number byte) (err error) {
	var key [chacha20poly1305.KeySize]byte
	key[0] = number
	c.aead, err = chacha20poly1305.New(key[:])
	return err
}

func (c *limitClient) seal(payload []byte) {
	size := max(1, (bits.Len64(c.sequence)+7)/8)
	prefix := byte(size<<4 | 5)
	out := append(c.out.data, prefix)
	for i := range size {
		out = append(out, byte(c.sequence>>(8*i)))
	}
	c.data[len(c.data)-1] = prefix
	binary.LittleEndian.PutUint64(c.nonce[4:], c.sequence)
	c.out.add(c.aead.Seal(out, c.nonce[:], payload, c.data[:]))
	c.sequence++
}

// size returns the bytes of all sealed packets of the last tick.
func (l *sceneLimit) size() (n int) {
	for i := range l.clients {
		n += len(l.clients[i].out.data)
	}
	return n
}

// answer seals what each client says: as many bytes as the packet of one of ours.
func (l *sceneLimit) answer(sealed []byte) {
	for i := range l.clients {
		c := &l.clients[i]
		c.out.reset()
		c.seal(l.buf[:payloadSize(sealed)])
	}
}

// open opens the last packet of each client.
func (l *sceneLimit) open() {
	for i := range l.clients {
		c := &l.clients[i]
		b := c.out.data
		if _, err := c.aead.Open(l.buf[:0], c.nonce[:], b[1+b[0]>>4:], c.data[:]); err != nil {
			panic(err)
		}
	}
}
