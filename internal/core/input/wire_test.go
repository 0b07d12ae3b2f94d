package input_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// names writes the index of a stream in place of its network id.
type names struct{}

func (names) AppendHead(w *bits.Writer, stream int) { w.Uvarint(uint64(stream)) }

// play10 returns a stream of a stick that moved one tick ago and had been still for ten ticks.
func play10() *input.Writer {
	w := newWriter()
	for tick := entangle.Tick(100); tick < 110; tick++ {
		w.Write(tick, 0, hands{X: 10, Y: 200}.bytes())
	}
	w.Write(110, 0, hands{X: 20, Y: 200}.bytes())
	return w
}

// The expected bytes were derived from docs/PROTOCOL.md by hand.
func TestFrameGolden(t *testing.T) {
	screen := func(behind timesync.Shown, moved int32) timesync.Screen {
		s := timesync.Screen{Base: timesync.ShownAt(80, 128) - behind, Packets: 1}
		s.Intervals.Add(1)
		s.Behind[0] = 5 + moved
		return s
	}
	shown := &plainScreens{110, []timesync.Screen{{Base: timesync.ShownAt(80, 128), Packets: 1}}, nil}
	several := &plainScreens{112, []timesync.Screen{screen(0, 0), screen(0, 0), screen(515, 0), screen(515+300, -1), screen(515+300+4096, -1)}, []timesync.LateFrame{{Screen: screen(515, 0), Newest: 83, Later: 5}}}
	still, moved := val(hands{X: 10, Y: 200}), val(hands{X: 20, Y: 200})
	for _, c := range []struct {
		name  string
		hex   string
		frame []byte
	}{
		{"a stream that stood still for six ticks", "02d1800000a0159021", plainFrame(110, shown,
			plainStream{newest: 110, words: []word{still, still, still, still, still, still}})},
		{"a stream that moved a tick ago", "02d1800000a02990ad808c00", plainFrame(110, shown,
			plainStream{newest: 110, words: []word{moved, still, still, still, still, still}})},
		{"none, and holes", "00800c430e00300000", plainFrame(110, nil,
			plainStream{newest: 117, words: []word{no, no, nothing, val(hands{Press: 1})}})},
		{"several screens", "8ad1800209c176832900a535c6e5c3ed000000", plainFrame(110, several,
			plainStream{newest: 110, words: []word{no}})},
		{"two streams", "00208114c8820800", plainFrame(110, nil,
			plainStream{epoch: 2, newest: 109, words: []word{moved}}, plainStream{name: 1, epoch: 2, newest: 110, words: []word{no}})},
	} {
		assert.Equal(t, c.hex, hex.EncodeToString(c.frame), c.name)
	}
}

// This is a typical frame: two axes of 8 bits that change every tenth tick, six ticks in each frame,
// each with its own screen.
func TestAUsualFrameIsSmall(t *testing.T) {
	w := newWriter()
	var c input.Composer
	var screens input.Screens
	streams, total := []input.OwnStream{{Writer: w}}, 0
	for tick := entangle.Tick(100); tick < 200; tick++ {
		w.Write(tick, 0, hands{X: uint8(tick / 10), Y: uint8(tick / 10)}.bytes())
		screens.Write(tick, &timesync.Screen{Base: timesync.ShownAt(tick-30, 0) + timesync.Shown(tick), Packets: 1})
		c.Begin(nil, 100, tick)
		require.Equal(t, 1, c.Pack(streams, names{}, &screens, 6, uint16(tick)))
		n := len(c.Finish())
		require.LessOrEqual(t, n, 16)
		total += n
	}
	require.Equal(t, 1397, total, "14 bytes a frame")
}

// A composer writes the same bytes as the plain encoder, and a frame reads them back.
func TestFramesEqualTheirPlainTwin(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		for range 30 {
			header := entangle.Tick(rng.Uint32())
			streams, plain := drawStreams(t, rng, header)
			var c input.Composer
			c.Begin(nil, 1100, header)
			c.Screens(nil, 0)
			for i, stream := range streams {
				var b input.Body
				require.True(t, b.Encode(stream, header, 1+rng.IntN(2)*len(plain[i].words)*input.MaxTicks))
				plain[i].words = plain[i].words[:b.Ticks()]
				c.Stream(0).Uvarint(uint64(plain[i].name))
				require.True(t, c.Put(&b))
			}
			require.Equal(t, plainFrame(header, nil, plain...), c.Finish())
		}
	})
}

// drawStreams makes streams from plain ones, by reading a frame for each.
func drawStreams(t *testing.T, rng *rand.Rand, header entangle.Tick) (streams []*input.Reader, plain []plainStream) {
	for i := range 1 + rng.IntN(4) {
		l := plainStream{name: i, epoch: rng.IntN(8), newest: header + entangle.Tick(rng.IntN(60)), words: drawWords(rng)}
		for len(l.words) > 1 && l.words[len(l.words)-1] == nothing {
			l.words = l.words[:len(l.words)-1]
		}
		stream := newFollower(header)
		_, err := read(plainFrame(header, nil, l), header, stream)
		require.NoError(t, err)
		streams, plain = append(streams, stream), append(plain, l)
	}
	return streams, plain
}

func TestAStreamTooFarFromItsPacketIsNotSent(t *testing.T) {
	w := play10()
	var b input.Body
	require.True(t, b.Encode(w, 110+4096, 1))
	require.False(t, b.Encode(w, 110+4097, 1))
	require.False(t, b.Encode(newWriter(), 110, 1))
	var c input.Composer
	c.Begin([]byte{1}, 100, 110)
	c.Stream(0).Uvarint(0)
	require.False(t, c.Put(&b))
	require.Equal(t, []byte{1}, c.Finish(), "no stream, no frame")
}

func TestMalformedFramesAreErrors(t *testing.T) {
	write := func(each func(w *bits.Writer)) []byte {
		var w bits.Writer
		w.Uvarint(0)
		each(&w)
		return w.Finish()
	}
	stream := func(distance int64, count uint64, rest func(w *bits.Writer)) []byte {
		return write(func(w *bits.Writer) {
			w.Uvarint(0)
			w.Uvarint(0)
			w.Bits(0, 3)
			w.Varint(distance)
			w.Uvarint(count - 1)
			rest(w)
		})
	}
	none := func(w *bits.Writer) { w.Bits(0, 2) }
	for i, c := range []struct {
		frame []byte
		err   error
	}{
		{nil, bits.ErrShort},
		{write(func(w *bits.Writer) { w.Uvarint(1) }), input.ErrType},
		{write(func(w *bits.Writer) { w.Uvarint(1 << 60) }), input.ErrType},
		{stream(4097, 1, none), input.ErrDistance},
		{stream(-4097, 1, none), input.ErrDistance},
		{stream(0, 65, none), input.ErrTicks},
		{stream(0, 1<<60, none), input.ErrTicks},
		{stream(0, 1, func(w *bits.Writer) { w.Bits(2, 2) }), input.ErrHole},
		{stream(0, 5, func(w *bits.Writer) { none(w); w.Bits(0b1100, 4) }), input.ErrRun}, // a run of 7 in a rest of 5
		{append(stream(0, 1, none), 0), bits.ErrTrailing},
	} {
		_, err := read(c.frame, 100, newReader(100))
		require.ErrorIs(t, err, c.err, fmt.Sprint("case ", i))
	}
}

// A refused stream is skipped, and the streams after it are read.
func TestAStreamIsSkipped(t *testing.T) {
	frame := plainFrame(100, nil,
		plainStream{newest: 102, words: []word{val(hands{X: 1}), no, nothing, val(hands{Press: 3})}},
		plainStream{name: 1, newest: 101, words: []word{val(hands{X: 2})}})
	stream := newReader(100)
	var f input.Frame
	f.Open(frame, 100, 1, 1)
	for f.Next() {
		if f.Bits().Uvarint() == 0 {
			f.Skip(codec{})
			continue
		}
		oldest, newest := f.Range()
		require.Equal(t, []entangle.Tick{101, 101}, []entangle.Tick{oldest, newest})
		f.Put(stream)
	}
	require.NoError(t, f.Err())
	requireActs(t, stream, acts{101, input.Fresh, hands{X: 2}})
}
