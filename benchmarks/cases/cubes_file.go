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

	"github.com/entangle-ecs/entangle/internal/wire"
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
