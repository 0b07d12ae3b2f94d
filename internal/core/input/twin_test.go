package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

const twinRate = 60

// twin is a simple model of a Reader: a map by tick.
type twin struct {
	late         bool
	back         int
	now          entangle.Tick
	lastReceived bool
	epoch        int
	first        *entangle.Tick
	words        map[entangle.Tick]word
}

func (w *twin) holds(tick entangle.Tick) bool {
	return int(tick.Sub(w.now)) <= input.Ahead(twinRate) && int(tick.Sub(w.now)) >= -w.back
}

func (w *twin) take(tick entangle.Tick) {
	w.now = tick
	for t := range w.words {
		if !w.holds(t) {
			delete(w.words, t)
		}
	}
	// The reader does not keep the beginning of a stream for longer.
	if low := tick - entangle.Tick(w.back); w.first != nil && w.first.Before(low) {
		w.first = &low
	}
}

func (w *twin) hear(l plainStream) (fresh map[entangle.Tick]bool) {
	oldest := l.newest - entangle.Tick(len(l.words)) + 1
	if !w.believes(l.epoch) {
		return nil
	}
	var kept *entangle.Tick
	var press uint16 // the newest press that waits
	for t, word := range w.words {
		if !w.lastReceived || w.epoch == l.epoch || t.Before(oldest) || !w.late && t.Sub(w.now) <= 0 {
			continue
		}
		if word.Press != 0 && !w.late && (kept == nil || kept.Before(t)) {
			kept, press = &t, word.Press
		}
		delete(w.words, t)
	}
	defer func() { w.keep(oldest, l.newest, press) }()
	w.lastReceived, w.epoch = true, l.epoch
	fresh = map[entangle.Tick]bool{}
	for i, word := range l.words {
		tick := l.newest - entangle.Tick(i)
		open := w.late && int(tick.Sub(w.now)) >= -input.Behind || tick.Sub(w.now) > 0
		if _, known := w.words[tick]; known || !open || !w.holds(tick) || word.kind == 'h' {
			continue
		}
		w.words[tick] = word
		fresh[tick] = true
		if w.first == nil || tick.Before(*w.first) {
			w.first = &tick
		}
	}
	return fresh
}

// keep moves the waiting press to the first tick of a body that has not run.
func (w *twin) keep(oldest, newest entangle.Tick, press uint16) {
	for t := oldest; press != 0 && !newest.Before(t); t++ {
		if word, ok := w.words[t]; ok && t.Sub(w.now) > 0 {
			if word.kind = 'v'; word.Press == 0 {
				word.Press = press
			}
			w.words[t] = word
			return
		}
	}
}

func (w *twin) believes(epoch int) bool {
	var newest *entangle.Tick
	for t := range w.words {
		if newest == nil || newest.Before(t) {
			newest = &t
		}
	}
	if !w.lastReceived || newest == nil || w.now.Sub(*newest) > twinRate {
		return true
	}
	return (epoch-w.epoch+8)%8 <= 3
}

func (w *twin) at(tick entangle.Tick) (hands, input.Status) {
	if word, ok := w.words[tick]; ok {
		if word.kind == 'n' {
			return hands{}, input.None
		}
		return word.hands, input.Fresh
	}
	for back := range entangle.Tick(twinRate) {
		if word, ok := w.words[tick-back-1]; ok && word.kind == 'v' {
			return hands{X: word.X, Y: word.Y}, input.Repeated
		} else if ok {
			break
		}
	}
	if w.first == nil || tick.Before(*w.first) {
		return hands{}, input.Unknown
	}
	return hands{}, input.None
}

// drawWords draws the contents of a few ticks, many of which equal the previous tick.
func drawWords(rng *rand.Rand) []word {
	words := []word{val(hands{X: uint8(rng.IntN(3))})}
	for n := rng.IntN(20); n > 0; n-- {
		switch rng.IntN(6) {
		case 0:
			words = append(words, nothing)
		case 1:
			words = append(words, no)
		case 2:
			words = append(words, val(hands{Y: uint8(rng.IntN(3)), Press: uint16(rng.IntN(3))}))
		default:
			words = append(words, words[len(words)-1])
		}
	}
	return words
}

// Proves: I5
// Proves: I7
// Proves: Z11
func TestAStreamEqualsItsPlainTwin(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		late := rng.IntN(2) == 0
		start := entangle.Tick(rng.Uint32()) // often near the wrap
		if rng.IntN(2) == 0 {
			start = -entangle.Tick(rng.Uint32N(200))
		}
		stream := input.NewReader(input.ReaderConfig{Codec: codec{}, TickRate: twinRate, Late: late}, start)
		w := &twin{late: late, back: stream.Back(), now: start, words: map[entangle.Tick]word{}}
		epoch := rng.IntN(8)
		for range 400 {
			switch rng.IntN(12) {
			case 0, 1, 2, 3, 4, 5:
				step(t, stream, w, w.now+1)
			case 6:
				step(t, stream, w, w.now+entangle.Tick(rng.IntN(100))-20)
			case 7:
				if rng.IntN(10) == 0 {
					step(t, stream, w, w.now+entangle.Tick(rng.Int32N(2000))-1000)
				}
			default:
				if rng.IntN(10) == 0 {
					epoch = (epoch + rng.IntN(4)) % 8
				}
				sendToBoth(t, rng, stream, w, epoch)
			}
			for range 5 {
				tick := w.now + entangle.Tick(rng.IntN(input.History+input.Ahead(twinRate))) - input.History
				v, s := stream.At(tick)
				h, want := w.at(tick)
				require.Equal(t, want, s, "tick %d, now %d", tick, w.now)
				require.Equal(t, h, handsOf(v))
			}
		}
	})
}

func step(t *testing.T, stream *input.Reader, w *twin, to entangle.Tick) {
	t.Helper()
	v, s := stream.Take(to)
	got := handsOf(v)
	w.take(to)
	h, want := w.at(to)
	require.Equal(t, want, s, "tick %d", to)
	require.Equal(t, h, got)
}

func sendToBoth(t *testing.T, rng *rand.Rand, stream *input.Reader, w *twin, epoch int) {
	t.Helper()
	if rng.IntN(8) == 0 {
		epoch = (epoch + 7) % 8 // a packet from before the jump
	}
	l := plainStream{epoch: epoch, newest: w.now + entangle.Tick(rng.IntN(30)) - 5, words: drawWords(rng)}
	if rng.IntN(8) == 0 {
		l.newest = w.now + entangle.Tick(rng.IntN(1000)) - 500
	}
	brought, err := read(plainFrame(w.now, nil, l), w.now, stream)
	require.NoError(t, err)
	fresh := w.hear(l)
	for i := range l.words {
		tick := l.newest - entangle.Tick(i)
		require.Equal(t, fresh[tick], brought[0].New>>i&1 == 1, "tick %d", tick)
	}
}
