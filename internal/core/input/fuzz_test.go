package input_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

const fuzzHeader entangle.Tick = 5000

// taken is a lane of a frame, read into a ring of its own.
type taken struct {
	name uint64
	lane *input.Reader
}

// takeAll reads a frame, each lane of it into a ring that takes all.
func takeAll(frame []byte) (shown *input.Shown, all []taken, err error) {
	var f input.Frame
	f.Open(frame, fuzzHeader, 1)
	for f.Next() {
		name := f.Bits().Uvarint()
		_, newest := f.Range()
		lane := newFollower(newest)
		f.Put(lane)
		all = append(all, taken{name, lane})
	}
	if s, ok := f.Shown(); ok {
		shown = &s
	}
	return shown, all, f.Err()
}

// writeAll writes what was read.
func writeAll(shown *input.Shown, all []taken) []byte {
	var c input.Composer
	c.Begin(nil, 1<<20, fuzzHeader, shown)
	for _, l := range all {
		var b input.Body
		b.Encode(l.lane, fuzzHeader, input.MaxTicks)
		c.Lane(0).Uvarint(l.name)
		c.Put(&b)
	}
	return c.Finish()
}

// FuzzFrame reads any bytes. What is accepted and written again reads as the same, and is
// written the same the second time: a frame is not refused for runs that could be longer,
// since values that name entities can be equal here and not where they were written, nor
// for holes at the old end.
func FuzzFrame(f *testing.F) {
	still := said(hands{X: 10})
	for _, frame := range [][]byte{
		plainFrame(fuzzHeader, nil, plainLane{newest: fuzzHeader, words: []word{still, still, no, nothing, still}}),
		plainFrame(fuzzHeader, &input.Shown{Tick: fuzzHeader - 40, Fraction: 3},
			plainLane{newest: fuzzHeader + 60, words: drawnWords(64)}, plainLane{name: 9, epoch: 3, newest: fuzzHeader - 9, words: []word{no}}),
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

// hostile reads a frame as a server and a client would, into lanes that are at other ticks.
func hostile(t *testing.T, frame []byte) {
	for _, now := range []entangle.Tick{fuzzHeader, fuzzHeader - 60, fuzzHeader + 300, 0} {
		lane := newReader(now)
		_, err := read(frame, fuzzHeader, lane)
		if err == nil {
			for tick := now - 1; tick != now+3; tick++ {
				lane.At(tick)
			}
			lane.Take(now + 1)
		}
		var f input.Frame
		f.Open(frame, fuzzHeader, 1)
		for f.Next() {
			f.Bits().Uvarint()
			f.Skip(codec{})
		}
		require.Equal(t, err == nil, f.Err() == nil, "who skips a lane finds its end as who reads it does")
	}
}

func requireSame(t *testing.T, all, others []taken) {
	require.Len(t, others, len(all))
	for i, l := range all {
		require.Equal(t, l.name, others[i].name)
		newest, _ := l.lane.Newest()
		for back := range entangle.Tick(input.MaxTicks) {
			v, s := l.lane.At(newest - back)
			v = bytes.Clone(v)
			w, u := others[i].lane.At(newest - back)
			require.Equal(t, s, u)
			require.Equal(t, handsOf(v), handsOf(w))
		}
	}
}

func drawnWords(n int) (words []word) {
	for i := range n {
		words = append(words, said(hands{X: uint8(i / 5), Press: uint16(i % 7)}))
	}
	return words
}
