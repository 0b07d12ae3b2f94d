package cases

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The case cubes measures the cost of 901 cubes that are pushed about, fall and come to rest, at 60
// Hz. Each frame is sent as differences from the frame six earlier, or from an extrapolation of the
// frames six and twelve earlier. The figure is the mean number of bytes per frame over the whole
// recording. Each frame is decoded and compared before anything is measured. One operation is a
// frame: our side writes it, and the side of the limit reads it. The cubes are either one group of
// 901 members, encoded as in the record of an update, or 901 groups of one, encoded as in a run of
// equal groups.

// cubesAgo is how many frames lie between a frame, its baseline, and its previous baseline.
const cubesAgo = 6

// CubesFile is the path of the recording. The flag -cubes sets it; the default lies beside this
// repository.
var CubesFile = "../../shared/data/cubes901.bin.xz"

// cubesMissing says why the case cannot run, or returns "" if it can.
func cubesMissing() string {
	if _, err := os.Stat(CubesFile); err != nil {
		return fmt.Sprintf("its recording is not there, give it with -cubes (%v)", err)
	}
	return ""
}

func cubesVariants() []report.Variant {
	at := func(name string, goal float64, moves bool, form cubesForm) report.Variant {
		return report.Variant{
			Name: "cubes/" + name, Unit: "bytes/frame", Goal: goal, Heavy: true, Missing: cubesMissing,
			Prepare: func() (report.Sides, error) { return cubesPrepare(moves, form) },
		}
	}
	return []report.Variant{
		at("one-base", 211, false, cubesGroup),
		at("two-bases", 164, true, cubesGroup),
		at("alone-one-base", 211*1.15, false, cubesAlone),
		at("alone-two-bases", 164*1.15, true, cubesAlone),
		cubesWorldVariant("world-one-base", 214, false, 1),
		cubesWorldVariant("world-two-bases", 168, true, 1),
		cubesWorldVariant("world-alone-one-base", 214*1.15, false, 0),
		cubesWorldVariant("world-alone-two-bases", 168*1.15, true, 0),
	}
}

// cube is the component of the case.
type cube struct {
	Rot         [4]float32 `net:"quat"`
	Pos         [3]float32 `net:"range=-32..32,step=0.001953125"`
	Interacting bool
}

// cubesForm is how records encode which cubes changed.
type cubesForm uint8

const (
	cubesGroup cubesForm = iota // all cubes are members of one group
	cubesAlone                  // each cube is a group of one
)

// cubesCodec writes frames and reads them.
type cubesCodec struct {
	frames [][]byte
	plan   *wire.Plan
	moves  bool
	form   cubesForm

	w     bits.Writer
	trail stepcode.Trail
	buf   []byte
	r     bits.Reader
	read  []byte // the frame that was decoded last
}

// cubesLoaded returns the recording, which is read once for all variants.
var cubesLoaded = sync.OnceValues(func() ([][]byte, error) { return cubesLoad(CubesFile) })

func cubesPrepare(moves bool, form cubesForm) (report.Sides, error) {
	frames, err := cubesLoaded()
	if err != nil {
		return report.Sides{}, err
	}
	infos, err := cubesInfos(moves)
	if err != nil {
		return report.Sides{}, err
	}
	c := &cubesCodec{frames: frames, plan: infos[0].Plan, moves: moves, form: form, buf: make([]byte, 0, 64<<10)}
	total, n, err := c.whole()
	if err != nil {
		return report.Sides{}, err
	}
	at := 0
	return report.Sides{
		Before: func() { at = 2*cubesAgo + (at+1)%(len(frames)-2*cubesAgo); c.packFrame(at) },
		Ours:   func() { c.packFrame(at) },
		Limit:  func() { err = c.decode(at) },
		Bytes:  func() int { return len(c.w.Finish()) },
		Verify: func() error { return err },
		Figure: func() float64 { return float64(total) / 8 / float64(n) },
	}, nil
}

// cubesInfos returns the registry with the component of the case.
func cubesInfos(moves bool) ([]*registry.Component, error) {
	p := protocol.New(protocol.Config{Name: "cubes"})
	if rule := protocol.Component[cube](p).Delta(); moves {
		rule.Motion()
	}
	return registry.Of(p).Components, p.Err()
}

// whole writes, reads and compares every frame that has its baselines. It returns the sum of their
// bits, and their number.
func (c *cubesCodec) whole() (total, n int, err error) {
	for f := c.first(); f < len(c.frames); f++ {
		total += c.packFrame(f)
		n++
		if err := c.decode(f); err != nil {
			return 0, 0, fmt.Errorf("frame %d: %w", f, err)
		}
		if err := c.verifyFrame(f); err != nil {
			return 0, 0, fmt.Errorf("frame %d: %w", f, err)
		}
	}
	return total, n, nil
}

// first returns the first frame that has its baselines.
func (c *cubesCodec) first() int {
	if c.moves {
		return 2 * cubesAgo
	}
	return cubesAgo
}

// bases returns the baselines of a cube in a frame.
func (c *cubesCodec) bases(f, i int) wire.Bases {
	from := wire.Bases{Base: c.cube(f-cubesAgo, i)}
	if c.moves {
		from.Older = c.cube(f-2*cubesAgo, i)
		from.Ahead, from.Between = cubesAgo, cubesAgo
	}
	return from
}

// hasCube reports whether the record of a frame contains a cube, because the cube changed.
func (c *cubesCodec) hasCube(f, i int) bool {
	return !bytes.Equal(c.cube(f, i), c.cube(f-cubesAgo, i))
}

// cube returns the memory of a cube in a frame.
func (c *cubesCodec) cube(f, i int) []byte { return c.frames[f][i*c.plan.Size():][:c.plan.Size()] }

// packFrame encodes a frame and returns its size in bits.
func (c *cubesCodec) packFrame(f int) int {
	c.w.Reset(c.buf[:0])
	if c.form == cubesAlone {
		c.writeRun(f)
	} else {
		c.writeRecord(f)
	}
	n := c.w.LenBits()
	c.buf = c.w.Finish()
	return n
}

// decode decodes the frame that was encoded last into c.read.
func (c *cubesCodec) decode(f int) error {
	c.read = append(c.read[:0], c.frames[f-cubesAgo]...)
	c.r.Reset(c.buf)
	if c.form == cubesAlone {
		return c.readRun(f)
	}
	return c.readRecord(f)
}

func (c *cubesCodec) verifyFrame(f int) error {
	if err := c.r.End(); err != nil {
		return err
	}
	if !bytes.Equal(c.read, c.frames[f]) {
		return errors.New("what was decoded is not what was encoded")
	}
	return nil
}

// cubesSets encodes the set of changed components. There is only one component.
var (
	cubesSets = repl.NewSets(1)
	cubesSet  = set.MaskOf(0)
)
