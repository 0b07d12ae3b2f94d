package cases

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/ulikunitz/xz"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// The recording consists of frames of 901 cubes, each of eight int32, the lowest byte first: the
// index of the rotation's largest component; the three other components in rising order, counted
// from 0 at -255/255 of the square root of a half; x, y and z in 512ths of a metre; and whether the
// cube touches the player's cube.
const (
	cubesCount  = 901
	cubesFields = 8
)

// cubesLoad reads the recording. A frame is the memory of its cubes, with the values that a
// receiver decodes.
func cubesLoad(path string) ([][]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	packed, err := xz.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, err
	}
	plan, err := wire.ComponentPlan[cube]()
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	raw := make([]int32, cubesCount*cubesFields)
	in := bufio.NewReaderSize(packed, 1<<20)
	for {
		switch err := binary.Read(in, binary.LittleEndian, raw); {
		case errors.Is(err, io.EOF):
			return frames, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		frames = append(frames, cubesFrame(raw, plan))
	}
}

func cubesFrame(raw []int32, plan *wire.Plan) []byte {
	frame := make([]byte, cubesCount*plan.Size())
	for i := range cubesCount {
		value := frame[i*plan.Size():][:plan.Size()]
		setCube(value, [cubesFields]int32(raw[i*cubesFields:]))
		plan.Round(value)
	}
	return frame
}

// setCube writes a cube of the recording into the memory of a component.
func setCube(value []byte, v [cubesFields]int32) {
	set := func(field int32, x float64) {
		binary.NativeEndian.PutUint32(value[4*field:], math.Float32bits(float32(x)))
	}
	rest, at := 1.0, 1
	for i := range int32(4) {
		if i != v[0] {
			k := float64(v[at]-255) / (255 * math.Sqrt2)
			set(i, k)
			rest -= k * k
			at++
		}
	}
	set(v[0], math.Sqrt(max(rest, 0)))
	for i := range int32(3) {
		set(4+i, float64(v[4+i])/512)
	}
	if v[7] != 0 {
		value[28] = 1
	}
}

// writeRecord writes the body of an update of one group: it has no references, is not a group of
// one, and lists the members that changed.
func (c *cubesCodec) writeRecord(f int) {
	var changes repl.Changes
	c.trail = stepcode.Trail{}
	c.w.Bits(0, 2)
	for i := range cubesCount {
		if !c.hasCube(f, i) {
			continue
		}
		if !changes.Append(&c.w, repl.Member(i), &cubesSet) {
			cubesSets.Append(&c.w, &cubesSet)
		}
		from := c.bases(f, i)
		from.Trail = &c.trail
		c.plan.EncodeDelta(&c.w, &from, c.cube(f, i), nil)
	}
	changes.End(&c.w)
}

var errCubes = errors.New("cubes: malformed")

func (c *cubesCodec) readRecord(f int) error {
	var changes repl.Changes
	c.trail = stepcode.Trail{}
	c.r.Bits(2)
	for {
		i, same, more, ok := changes.Read(&c.r)
		if !ok {
			return errCubes
		}
		if !more {
			return nil
		}
		var comps set.Mask
		if int(i) >= cubesCount || !changes.ReadSet(&c.r, cubesSets, &comps, same) || comps != cubesSet {
			return errCubes
		}
		if err := c.readCube(f, int(i), &c.trail); err != nil {
			return err
		}
	}
}

func (c *cubesCodec) readCube(f, i int, trail *stepcode.Trail) error {
	from := c.bases(f, i)
	from.Trail = trail
	return c.plan.DecodeDelta(&c.r, &from, c.read[i*c.plan.Size():][:c.plan.Size()], nil)
}

// writeRun writes a run of one plain block: the first group and their number, the changed components,
// the positions of the groups in the handle space, and the values.
func (c *cubesCodec) writeRun(f int) {
	first, n := c.span(f)
	if n == 0 {
		return
	}
	u := repl.RunHeads{Tick: entangle.Tick(f)}
	u.Begin(&c.w, repl.Handle(first), c.from(f))
	c.w.Bool(true)
	repl.AppendCount(&c.w, n, true)
	cubesSets.Append(&c.w, &cubesSet)
	for i := first + 1; i < cubesCount; i++ {
		if c.hasCube(f, i) {
			u.AppendGap(&c.w, repl.Handle(i))
		}
	}
	for i := first; i < cubesCount; i++ {
		if c.hasCube(f, i) {
			from := c.bases(f, i)
			c.plan.EncodeDelta(&c.w, &from, c.cube(f, i), nil)
		}
	}
	u.End(&c.w)
}

// span returns the first cube that changed, and how many changed.
func (c *cubesCodec) span(f int) (first, n int) {
	for i := cubesCount - 1; i >= 0; i-- {
		if c.hasCube(f, i) {
			first = i
			n++
		}
	}
	return first, n
}

func (c *cubesCodec) from(f int) repl.From {
	from := repl.From{Base: entangle.Tick(f - cubesAgo)}
	if c.moves {
		from.Prev = cubesAgo
	}
	return from
}

func (c *cubesCodec) readRun(f int) error {
	if c.r.RemainingBits() == 0 {
		return nil
	}
	u := repl.RunHeads{Tick: entangle.Tick(f)}
	var rec repl.Record
	c.r.Bits(1)
	ok := u.ReadBegin(&c.r, &rec)
	plain := c.r.Bool()
	n, gaps, counted := u.ReadCount(&c.r)
	var comps set.Mask
	if !ok || !plain || !counted || !gaps || !cubesSets.Read(&c.r, &comps) || comps != cubesSet {
		return errCubes
	}
	at := []repl.Handle{rec.Group}
	for len(at) < n {
		g, ok := u.ReadGap(&c.r)
		if !ok || int(g) >= cubesCount {
			return errCubes
		}
		at = append(at, g)
	}
	for _, i := range at {
		if err := c.readCube(f, int(i), nil); err != nil {
			return err
		}
	}
	if more, ok := u.ReadNext(&c.r, &rec); more || !ok {
		return errCubes
	}
	return nil
}
