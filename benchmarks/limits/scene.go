package limits

import (
	"bytes"
	"cmp"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// SceneLimit does a server's work by hand, for worlds with nothing but poses in one array. It finds
// the moved entities, encodes each once, and for each client lays out payloads and seals them. It
// does not track the state of clients: it sends each movement once, and lost packets stay lost.
type SceneLimit struct {
	now, old []byte   // poses, workload.PoseSize bytes each
	Moved    []uint64 // bits by entity
	Count    int      // the number of moved entities
	Poses    workload.Poses
	Codes    []SceneCode
	Clients  []limitClient
	tick     uint32
	Round    int

	Shared workload.Packets // payloads that are equal for all clients
	views  [][]viewWord
	buf    [entangle.MaxPayload]byte
	filled int // bytes of buf that assemble has filled
	gridViews
}

// SceneCode is an encoded pose, 80 bits in ten bytes.
type SceneCode struct {
	Low  uint64
	High uint16
}

const SceneCodeSize = 10

func NewSceneLimit(entities, clients int) (*SceneLimit, error) {
	l := &SceneLimit{
		now: make([]byte, entities*workload.PoseSize), old: make([]byte, entities*workload.PoseSize),
		Moved: make([]uint64, (entities+63)/64), Codes: make([]SceneCode, entities),
		Clients: make([]limitClient, clients), Poses: workload.ScenePoses,
	}
	for i := range l.Clients {
		if err := l.Clients[i].init(byte(i)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Move makes the same movement as a tick of the scene.
func (l *SceneLimit) Move(percent int) {
	l.Round++
	for i := range l.Codes {
		if percent == 100 || percent > 0 && report.Chosen(i, l.Round, percent) {
			l.Set(i, l.Poses.At(i, l.Round))
		}
	}
}

func (l *SceneLimit) Set(i int, p *workload.Pose) {
	PutPose(l.now[i*workload.PoseSize:], p)
}

func (l *SceneLimit) Pose(i int) workload.Pose {
	return poseAt((*[workload.PoseSize]byte)(l.now[i*workload.PoseSize:]))
}

func float(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// Send does all work of a tick in which all clients see everything.
func (l *SceneLimit) Send() {
	l.tick++
	l.Detect()
	l.encode()
	l.pack()
	for i := range l.Clients {
		c := &l.Clients[i]
		c.Out.Reset()
		for payload := range l.Shared.Each {
			c.seal(l.buf[:copy(l.buf[:], payload)])
		}
	}
}

// Detect compares the poses with those of the last tick, and stores the present ones.
func (l *SceneLimit) Detect() {
	now, old := l.now, l.old
	const block = 64 * workload.PoseSize
	l.Count = 0
	for w := range l.Moved {
		n, o := now[w*block:min((w+1)*block, len(now))], old[w*block:min((w+1)*block, len(old))]
		l.Moved[w] = 0
		if bytes.Equal(n, o) {
			continue
		}
		var mask uint64
		for row := uint(0); len(n) >= workload.PoseSize; row++ {
			mask |= ne28((*[workload.PoseSize]byte)(n), (*[workload.PoseSize]byte)(o)) << (row & 63)
			n, o = n[workload.PoseSize:], o[workload.PoseSize:]
		}
		copy(old[w*block:], now[w*block:min((w+1)*block, len(now))])
		l.Moved[w] = mask
		l.Count += bits.OnesCount64(mask)
	}
}

func ne28(a, b *[workload.PoseSize]byte) (n uint64) {
	if binary.LittleEndian.Uint64(a[:])^binary.LittleEndian.Uint64(b[:])|
		binary.LittleEndian.Uint64(a[8:])^binary.LittleEndian.Uint64(b[8:])|
		binary.LittleEndian.Uint64(a[16:])^binary.LittleEndian.Uint64(b[16:])|
		uint64(binary.LittleEndian.Uint32(a[24:])^binary.LittleEndian.Uint32(b[24:])) != 0 {
		n = 1
	}
	return n
}

// encode writes the code of each moved entity.
func (l *SceneLimit) encode() {
	for w, mask := range l.Moved {
		for ; mask != 0; mask &= mask - 1 {
			i := w<<6 | bits.TrailingZeros64(mask)
			pose := l.Pose(i)
			l.Codes[i] = CodeOf(&pose)
		}
	}
}

// CodeOf returns the bits that encodeByHand writes.
func CodeOf(p *workload.Pose) SceneCode {
	place := workload.CoordinateOf(p.Pos[0]) | workload.CoordinateOf(p.Pos[1])<<17 | workload.CoordinateOf(p.Pos[2])<<34
	turn := workload.RotationOf(&p.Rot)
	return SceneCode{Low: place | turn<<51, High: uint16(turn >> 13)}
}

// A payload of the limit is the tick in 4 bytes, the packet's index within the tick in one byte,
// and the moved entities. An entity is its distance from the previous one, in one byte, or in three
// from 255 on, and its code. If all entities moved, there are no distances.
const (
	LimitHead  = 5
	MaxGapSize = 3
)

func (l *SceneLimit) packetHead(number int) []byte {
	binary.LittleEndian.PutUint32(l.buf[:], l.tick)
	l.buf[4] = byte(number)
	return l.buf[:LimitHead]
}

// pack lays out the payloads that are equal for all clients.
func (l *SceneLimit) pack() {
	l.Shared.Reset()
	all, need := l.Count == len(l.Codes), SceneCodeSize
	if !all {
		need += MaxGapSize
	}
	b, last := l.packetHead(0), -1
	for w, mask := range l.Moved {
		for ; mask != 0; mask &= mask - 1 {
			i := w<<6 | bits.TrailingZeros64(mask)
			if len(b)+need > entangle.MaxPayload {
				l.Shared.Add(append(l.Shared.Data, b...))
				b, last = l.packetHead(len(l.Shared.Ends)), -1
			}
			if !all {
				b = AppendGap(b, i-last)
			}
			b, last = AppendCode(b, &l.Codes[i]), i
		}
	}
	if len(b) > LimitHead {
		l.Shared.Add(append(l.Shared.Data, b...))
	}
}

func AppendGap(b []byte, gap int) []byte {
	if gap < 255 {
		return append(b, byte(gap))
	}
	return append(b, 255, byte(gap), byte(gap>>8))
}

func AppendCode(b []byte, code *SceneCode) []byte {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint64(b, code.Low), code.High)
}

// limitClient seals like the session: with the same cipher and the same number of extra bytes.
type limitClient struct {
	aead     cipher.AEAD
	nonce    [chacha20poly1305.NonceSize]byte
	data     [22]byte
	sequence uint64
	Out      workload.Packets
	baselines
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
	out := append(c.Out.Data, prefix)
	for i := range size {
		out = append(out, byte(c.sequence>>(8*i)))
	}
	c.data[len(c.data)-1] = prefix
	binary.LittleEndian.PutUint64(c.nonce[4:], c.sequence)
	c.Out.Add(c.aead.Seal(out, c.nonce[:], payload, c.data[:]))
	c.sequence++
}

// Sealing returns a function that seals packets of the same size.
func Sealing(packets, size int) func() {
	var c limitClient
	if err := c.init(0); err != nil {
		panic(err) // its key has the right size
	}
	payload := make([]byte, size)
	return func() {
		c.Out.Reset()
		for range packets {
			c.seal(payload)
		}
	}
}

// Size returns the bytes of all sealed packets of the last tick.
func (l *SceneLimit) Size() (n int) {
	for i := range l.Clients {
		n += len(l.Clients[i].Out.Data)
	}
	return n
}

// Answer seals an answer of each client, of the size of a client's packet on our side.
func (l *SceneLimit) Answer(sealed []byte) {
	for i := range l.Clients {
		c := &l.Clients[i]
		c.Out.Reset()
		c.seal(l.buf[:workload.PayloadSize(sealed)])
	}
}

// Open opens the last packet of each client.
func (l *SceneLimit) Open() {
	for i := range l.Clients {
		c := &l.Clients[i]
		b := c.Out.Data
		if _, err := c.aead.Open(l.buf[:0], c.nonce[:], b[1+b[0]>>4:], c.data[:]); err != nil {
			panic(err)
		}
	}
}

// Anchors are the parts of the limit's work in a tick in which everything moves, except encoding,
// for which the standard library has no equivalent.
func (l *SceneLimit) Anchors() []report.Anchor {
	now, old := l.now, bytes.Clone(l.now)
	bag := l.Packed()
	sealing := make([]limitClient, len(l.Clients))
	for i := range sealing {
		_ = sealing[i].init(byte(i))
	}
	var buf [entangle.MaxPayload]byte
	return []report.Anchor{
		{Name: "bytes.Equal", Run: func() { runtime.KeepAlive(bytes.Equal(now, old)) }},
		{Name: "copy", Run: func() {
			copy(old, now)
			for range sealing {
				for payload := range bag.Each {
					copy(buf[:], payload)
				}
			}
		}},
		{Name: "Seal", Run: func() {
			for i := range sealing {
				sealing[i].Out.Reset()
				for payload := range bag.Each {
					sealing[i].seal(payload)
				}
			}
		}},
	}
}

// Packed returns the payloads of a tick in which everything moves.
func (l *SceneLimit) Packed() *workload.Packets {
	for w := range l.Moved {
		l.Moved[w] = ^uint64(0) >> max(0, 64*(w+1)-len(l.Codes))
	}
	l.Count = len(l.Codes)
	l.encode()
	l.pack()
	bag := workload.Packets{Data: bytes.Clone(l.Shared.Data), Ends: append([]int(nil), l.Shared.Ends...)}
	return &bag
}

// FanOut copies and seals payloads for every client.
func (l *SceneLimit) FanOut(payloads *workload.Packets) {
	for i := range l.Clients {
		c := &l.Clients[i]
		c.Out.Reset()
		for payload := range payloads.Each {
			c.seal(l.buf[:copy(l.buf[:], payload)])
		}
	}
}

// Wanted returns the codes of the entities that a client sees, in the order of the entities.
func (l *SceneLimit) Wanted(client int, sees func(client, entity int) bool) []SceneCode {
	var codes []SceneCode
	for i := range l.Codes {
		if sees == nil || sees(client, i) {
			pose := l.Pose(i)
			codes = append(codes, CodeOf(&pose))
		}
	}
	return SortCodes(codes)
}

func SortCodes(codes []SceneCode) []SceneCode {
	slices.SortFunc(codes, func(a, b SceneCode) int {
		return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
	})
	return codes
}

// NewWalkGrid returns a HandGrid for the entities of the first square.
func NewWalkGrid(entities, viewers int) *HandGrid {
	x, y := workload.WalkCorner(0)
	near, stay := float32(workload.WalkSight), 1+float32(workload.GridHysteresis)
	return NewHandGrid(HandArea{x, y, workload.WalkTile}, entities, viewers, near, near*stay)
}
