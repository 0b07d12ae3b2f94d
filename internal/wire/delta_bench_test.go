package wire_test

import (
	"math"
	"testing"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// track returns the poses of bodies that move and turn, at three times.
func track(n int) (older, base, value []pose) {
	at := func(tick float64) []pose {
		all := make([]pose, n)
		for i := range all {
			phase := float64(i) + tick*0.03*float64(1+i%3)
			sin, cos := math.Sincos(phase)
			all[i] = pose{
				Pos: [3]float32{float32(300 * sin), float32(300 * cos), 1},
				Rot: [4]float32{0, float32(sin * 0.6), float32(sin * 0.8), float32(cos)},
			}
		}
		return all
	}
	return at(0), at(6), at(12)
}

func BenchmarkDelta(b *testing.B) {
	const n = 256
	older, base, value := track(n)
	plan := subjectOf[pose](b).plan
	for _, c := range []struct {
		name         string
		moves, trail bool
	}{{"OneBase", false, false}, {"OneBaseTrail", false, true}, {"TwoBasesTrail", true, true}} {
		var trail stepcode.Trail
		from := func(i int) wire.Bases {
			f := wire.Bases{Base: bytesOf(&base[i])}
			if c.moves {
				f.Older, f.Ahead, f.Between = bytesOf(&older[i]), 6, 6
			}
			if c.trail {
				f.Trail = &trail
			}
			return f
		}
		var w bits.Writer
		buf := make([]byte, 0, 64<<10)
		write := func() []byte {
			w.Reset(buf)
			trail = stepcode.Trail{}
			for i := range value {
				f := from(i)
				plan.EncodeDelta(&w, &f, bytesOf(&value[i]), nil)
			}
			return w.Finish()
		}
		b.Run("Encode"+c.name, func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				write()
			}
		})
		data := write()
		var got pose
		var r bits.Reader
		b.Run("Decode"+c.name, func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				r.Reset(data)
				trail = stepcode.Trail{}
				for k := range value {
					f := from(k)
					if err := plan.DecodeDelta(&r, &f, bytesOf(&got), nil); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("Skip"+c.name, func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				r.Reset(data)
				trail = stepcode.Trail{}
				for range value {
					_ = plan.SkipDelta(&r, from(0).Trail)
				}
			}
		})
	}
}
