package input_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

const fuzzHeader entangle.Tick = 5000

// taken is a stream of a frame, read into a ring of its own.
type taken struct {
	name   uint64
	stream *input.Reader
}

// takeAll reads a frame, each stream of it into a ring that accepts all ticks.
func takeAll(frame []byte) (shown *plainScreens, all []taken, err error) {
	var f input.Frame
	f.Open(frame, fuzzHeader, 1, 1)
	for f.Next() {
		name := f.Bits().Uvarint()
		_, newest := f.Range()
		stream := newFollower(newest)
		f.Put(stream)
		all = append(all, taken{name, stream})
	}
	if newest, list := f.ScreenList(); len(list) > 0 {
		shown = &plainScreens{newest, slices.Clone(list), slices.Clone(f.LateFrames())}
	}
	return shown, all, f.Err()
}

// writeAll writes streams into a frame.
func writeAll(shown *plainScreens, all []taken) []byte {
	var c input.Composer
	c.Begin(nil, 1<<20, fuzzHeader)
	if shown == nil {
		c.Screens(nil, 0)
	} else {
		c.Screens(screensOf(shown), input.MaxTicks)
	}
	for _, l := range all {
		var b input.Body
		b.Encode(l.stream, fuzzHeader, input.MaxTicks)
		c.Stream(0).Uvarint(l.name)
		c.Put(&b)
	}
	return c.Finish()
}

// screensOf returns the store of a client that has written screens.
func screensOf(p *plainScreens) *input.Screens {
	var s input.Screens
	for i := range p.of {
		at := len(p.of) - 1 - i
		s.Write(p.newest-entangle.Tick(at), &p.of[at])
	}
	s.Late = p.late
	return &s
}

// FuzzFrame reads arbitrary bytes. An accepted frame that is written again can be read with the
// same result, and is written to the same bytes the second time. The bytes of the first time may
// differ: a frame may have shorter runs than necessary, because values that refer to entities can
// be equal here and different at their sender, and it may have holes at the old end.
func FuzzFrame(f *testing.F) {
	still := val(hands{X: 10})
	for _, frame := range [][]byte{
		plainFrame(fuzzHeader, nil, plainStream{newest: fuzzHeader, words: []word{still, still, no, nothing, still}}),
		plainFrame(fuzzHeader, &plainScreens{fuzzHeader + 60, []timesync.Screen{*screenAt(fuzzHeader - 20), *screenAt(fuzzHeader - 20), *screenAt(fuzzHeader - 23)}, lateFrames(fuzzHeader - 20)},
			plainStream{newest: fuzzHeader + 60, words: drawnWords(64)}, plainStream{name: 9, epoch: 3, newest: fuzzHeader - 9, words: []word{no}}),
	} {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		hostile(t, frame)
		shown, all, err := takeAll(frame)
		if err != nil {
			return
		}
		again := writeAll(shown, all)
		require.LessOrEqual(t, len(again), len(frame))
		shown2, all2, err := takeAll(again)
		require.NoError(t, err)
		require.Equal(t, shown, shown2)
		require.Equal(t, again, writeAll(shown2, all2))
		requireSame(t, all, all2)
	})
}

// hostile reads a frame like a server and like a client, into streams that are at other ticks.
func hostile(t *testing.T, frame []byte) {
	for _, now := range []entangle.Tick{fuzzHeader, fuzzHeader - 60, fuzzHeader + 300, 0} {
		stream := newReader(now)
		_, err := read(frame, fuzzHeader, stream)
		if err == nil {
			for tick := now - 1; tick != now+3; tick++ {
				stream.At(tick)
			}
			stream.Take(now + 1)
		}
		var f input.Frame
		f.Open(frame, fuzzHeader, 1, 1)
		for f.Next() {
			f.Bits().Uvarint()
			f.Skip(codec{})
		}
		require.Equal(t, err == nil, f.Err() == nil, "skipping a stream finds the same end as reading it")
	}
}

func requireSame(t *testing.T, all, others []taken) {
	require.Len(t, others, len(all))
	for i, l := range all {
		require.Equal(t, l.name, others[i].name)
		newest, _ := l.stream.Newest()
		for back := range entangle.Tick(input.MaxTicks) {
			v, s := l.stream.At(newest - back)
			v = bytes.Clone(v)
			w, u := others[i].stream.At(newest - back)
			require.Equal(t, s, u)
			require.Equal(t, handsOf(v), handsOf(w))
		}
	}
}

func drawnWords(n int) (words []word) {
	for i := range n {
		words = append(words, val(hands{X: uint8(i / 5), Press: uint16(i % 7)}))
	}
	return words
}
