package limits

import (
	"encoding/binary"
	"math"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// Codec writes and reads the values of a column by hand.
type Codec struct {
	Size   int // bytes of a value in the column
	Code   int // bytes of a value on the wire
	Append func(b, values []byte) []byte
	Read   func(values, codes []byte) bool
}

// RawCodec is for values whose form on the wire is that in memory.
func RawCodec(size int) Codec {
	return Codec{
		Size: size, Code: size,
		Append: func(b, values []byte) []byte { return append(b, values...) },
		Read:   func(values, codes []byte) bool { return copy(values, codes) == len(codes) },
	}
}

// PoseCodec is for poses.
func PoseCodec() Codec {
	return Codec{Size: workload.PoseSize, Code: SceneCodeSize, Append: appendPoses, Read: readPoses}
}

func appendPoses(b, values []byte) []byte {
	for ; len(values) >= workload.PoseSize; values = values[workload.PoseSize:] {
		pose := poseAt((*[workload.PoseSize]byte)(values))
		code := CodeOf(&pose)
		b = AppendCode(b, &code)
	}
	return b
}

func poseAt(at *[workload.PoseSize]byte) workload.Pose {
	return workload.Pose{
		Pos: [3]float32{float(at[0:4]), float(at[4:8]), float(at[8:12])},
		Rot: [4]float32{float(at[12:16]), float(at[16:20]), float(at[20:24]), float(at[24:28])},
	}
}

// PutPose writes a pose as it is in memory.
func PutPose(b []byte, p *workload.Pose) {
	at := (*[workload.PoseSize]byte)(b)
	for k, v := range p.Pos {
		binary.LittleEndian.PutUint32(at[4*k:], math.Float32bits(v))
	}
	for k, v := range p.Rot {
		binary.LittleEndian.PutUint32(at[12+4*k:], math.Float32bits(v))
	}
}

func readPoses(values, codes []byte) bool {
	for ; len(values) >= workload.PoseSize && len(codes) >= SceneCodeSize; values, codes = values[workload.PoseSize:], codes[SceneCodeSize:] {
		var pose workload.Pose
		if !readPose(&pose, codes) {
			return false
		}
		PutPose(values, &pose)
	}
	return len(values) == 0 && len(codes) == 0
}

// ReadPoses reads poses. It refuses codes that no server sends.
func ReadPoses(values []workload.Pose, codes []byte) bool {
	for i := range values {
		if !readPose(&values[i], codes[i*SceneCodeSize:]) {
			return false
		}
	}
	return true
}

func readPose(p *workload.Pose, code []byte) bool {
	low, high := binary.LittleEndian.Uint64(code), uint64(binary.LittleEndian.Uint16(code[8:]))
	var position workload.Position
	if !setPosition(&position, low&(1<<51-1)) || !setRotation(&p.Rot, low>>51|high<<13) {
		return false
	}
	p.Pos = [3]float32{position.X, position.Y, position.Z}
	return true
}

// ReadNumbers reads numbers.
func ReadNumbers(values []workload.Number, codes []byte) bool {
	for i := range values {
		values[i].Value = binary.LittleEndian.Uint64(codes[8*i:])
	}
	return true
}

// PutNumber writes a number as it is in memory.
func PutNumber(b []byte, n *workload.Number) { binary.LittleEndian.PutUint64(b, n.Value) }

// PutBlock writes a block as it is in memory.
func PutBlock(b []byte, v *workload.Block) {
	for i, value := range v.Values {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(value))
	}
}

// PutScalar writes a scalar as it is in memory.
func PutScalar(b []byte, v *workload.Scalar) {
	binary.LittleEndian.PutUint32(b, math.Float32bits(v.Value))
}
