package wire_test

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// pose is the component for which the performance goals of encoding are stated.
type pose struct {
	Pos [3]float32 `net:"range=-512..512,step=0.01"`
	Rot [4]float32 `net:"quat"`
}

// encodePose is a codec for pose written by hand. The plan cannot be faster.
func encodePose(w *bits.Writer, p *pose) {
	x, y, z := encodeAxis(p.Pos[0]), encodeAxis(p.Pos[1]), encodeAxis(p.Pos[2])
	w.Put(x|y<<17|z<<34, 51)
	w.Put(encodeRot(&p.Rot), 29)
}

// magic rounds to a whole number when it is added: the result is in the low bits of the sum.
const magic, magicBits = 3 << 51, 0x4338 << 48

func encodeAxis(v float32) uint64 {
	x := math.Float64bits(float64(v)*100+(magic+51200)) - magicBits
	if x > 102400 {
		return clampAxis(v)
	}
	return x
}

//go:noinline
func clampAxis(v float32) uint64 {
	if v > 0 {
		return 102400
	}
	return 0
}

func encodeRot(q *[4]float32) uint64 {
	const m, bound = 255, 2*255*255 - 1
	best, top := 0, math.Float32bits(q[0])<<1
	if v := math.Float32bits(q[1]) << 1; v > top {
		best, top = 1, v
	}
	if v := math.Float32bits(q[2]) << 1; v > top {
		best, top = 2, v
	}
	if v := math.Float32bits(q[3]) << 1; v > top {
		best = 3
	}
	scale := m * math.Sqrt2
	length := float64(q[0])*float64(q[0]) + float64(q[1])*float64(q[1]) + float64(q[2])*float64(q[2]) + float64(q[3])*float64(q[3])
	if math.Abs(length-1) > 1e-6 {
		scale /= math.Sqrt(length)
	}
	if q[best] < 0 {
		scale = -scale
	}
	round := func(v float32) int64 {
		return int64(math.Float64bits(float64(v)*scale+magic) - magicBits)
	}
	a, b, c := round(q[(best+1)&3]), round(q[(best+2)&3]), round(q[(best+3)&3])
	for a*a+b*b+c*c+max(a*a, b*b, c*c) > bound {
		switch longest := max(a*a, b*b, c*c); {
		case a*a == longest:
			a -= sign(a)
		case b*b == longest:
			b -= sign(b)
		default:
			c -= sign(c)
		}
	}
	return uint64(best) | uint64(a+m)<<2 | uint64(b+m)<<11 | uint64(c+m)<<20
}

func sign(v int64) int64 {
	if v < 0 {
		return -1
	}
	return 1
}

func decodePose(r *bits.Reader, p *pose) bool {
	acc := r.Bits(51)
	for i := range p.Pos {
		k := acc >> (17 * i) & (1<<17 - 1)
		if k > 102400 {
			return false
		}
		p.Pos[i] = float32(float64(int64(k)-51200) * 0.01)
	}
	return decodeRot(r.Bits(29), &p.Rot)
}

func decodeRot(v uint64, q *[4]float32) bool {
	const m, bound = 255, 2*255*255 - 1
	best := v & 3
	a, b, c := int64(v>>2&511)-m, int64(v>>11&511)-m, int64(v>>20&511)-m
	if a*a+b*b+c*c+max(a*a, b*b, c*c) > bound {
		return false
	}
	const step = 1 / (m * math.Sqrt2)
	x, y, z := float64(a)*step, float64(b)*step, float64(c)*step
	q[best] = float32(math.Sqrt(1 - x*x - y*y - z*z))
	q[(best+1)&3], q[(best+2)&3], q[(best+3)&3] = float32(x), float32(y), float32(z)
	return true
}

func poses(n int) []pose {
	out := make([]pose, n)
	for i := range out {
		f := float64(i)
		p := &out[i]
		p.Pos = [3]float32{float32(500 * math.Sin(f)), float32(500 * math.Cos(f*1.3)), float32(100 * math.Sin(f*0.7))}
		a, b, c := f, f*0.37, f*1.7
		p.Rot = [4]float32{
			float32(math.Sin(a) * math.Sin(b)), float32(math.Sin(a) * math.Cos(b)),
			float32(math.Cos(a) * math.Sin(c)), float32(math.Cos(a) * math.Cos(c)),
		}
	}
	return out
}

func poseBytes(p *pose) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// The hand-written codec is a valid limit only if it writes the same bits.
func TestThePlanWritesWhatTheHandWrittenCodecWrites(t *testing.T) {
	plan, err := wire.ComponentPlan[pose]()
	require.NoError(t, err)
	for _, p := range append(poses(1000), pose{}.at(0.5, 0.5, 0.5, 0.5), pose{}.at(0, 0.7071068, 0, -0.7071068)) {
		var a, b bits.Writer
		encodePose(&a, &p)
		require.Zero(t, plan.Encode(&b, poseBytes(&p), nil))
		require.Equal(t, a.Finish(), b.Finish(), "%v", p)

		var r bits.Reader
		var byHand, byPlan pose
		r.Reset(a.Finish())
		require.True(t, decodePose(&r, &byHand))
		r.Reset(b.Finish())
		require.NoError(t, plan.Decode(&r, poseBytes(&byPlan), nil))
		require.Equal(t, byHand, byPlan)
	}
}

func (p pose) at(x, y, z, w float32) pose {
	p.Rot = [4]float32{x, y, z, w}
	return p
}

// race runs the hand-written code and the plan alternately, for a thousand values each, and reports
// the best time of both. So other programs on the machine disturb both equally.
func race(b *testing.B, hand, plan func()) {
	best := func(least time.Duration, run func()) time.Duration {
		start := time.Now()
		run()
		return min(least, time.Since(start))
	}
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		least[0], least[1] = best(least[0], hand), best(least[1], plan)
	}
	b.ReportMetric(float64(least[0])/1000, "hand-ns")
	b.ReportMetric(float64(least[1])/1000, "plan-ns")
	b.ReportMetric(float64(least[1])/float64(least[0]), "ratio")
}

func BenchmarkEncodePose(b *testing.B) {
	plan, err := wire.ComponentPlan[pose]()
	require.NoError(b, err)
	values, buf := poses(1000), make([]byte, 0, 16<<10)
	var w bits.Writer
	b.ReportAllocs()
	race(b, func() {
		w.Reset(buf)
		for i := range values {
			encodePose(&w, &values[i])
		}
	}, func() {
		w.Reset(buf)
		for i := range values {
			plan.Encode(&w, poseBytes(&values[i]), nil)
		}
	})
}

func BenchmarkDecodePose(b *testing.B) {
	plan, err := wire.ComponentPlan[pose]()
	require.NoError(b, err)
	var w bits.Writer
	for _, p := range poses(1000) {
		plan.Encode(&w, poseBytes(&p), nil)
	}
	data := w.Finish()
	var r bits.Reader
	var out pose
	b.ReportAllocs()
	race(b, func() {
		r.Reset(data)
		for range 1000 {
			decodePose(&r, &out)
		}
	}, func() {
		r.Reset(data)
		for range 1000 {
			_ = plan.Decode(&r, poseBytes(&out), nil)
		}
	})
}
