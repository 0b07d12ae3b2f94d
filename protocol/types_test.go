package protocol_test

import (
	"unsafe"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// These are the types that the tests register.
type (
	plain struct {
		A uint8
		B uint32
		C int16
		D float64
		E float32
	}
	flags struct {
		On, Off bool
		Many    [5]bool
	}
	pose struct {
		Pos [3]float32 `net:"range=-512..512,step=0.01"`
		Rot [4]float32 `net:"quat"`
	}
	ranged struct {
		Health int16  `net:"range=0..100"`
		Wide   int64  `net:"range=-9223372036854775808..9223372036854775807"`
		Big    uint64 `net:"range=5..18446744073709551615"`
		Few    int8   `net:"range=-3..-1"`
		Int    int    `net:"range=-1000..1000"`
		Uint   uint   `net:"range=7..9"`
	}
	platform struct {
		I int
		U uint
		M [3]int
	}
	quantised struct {
		Pos   [3]float32 `net:"range=-512..512,step=0.01"`
		Odd   float32    `net:"range=0.1..1.3,step=0.25"`
		Fine  float64    `net:"range=-1e6..1e6,step=1e-6"`
		Long  [7]float32 `net:"range=0..1,step=0.001"`
		Plane [2]float64 `net:"range=-1..1,step=0.5"`
	}
	angles struct {
		Yaw    float32    `net:"angle"`
		Fine   float64    `net:"angle,step=0.00001"`
		Coarse [3]float32 `net:"angle,bits=3"`
		Third  float32    `net:"angle,step=2.0943951023931953"`
	}
	xyzw  struct{ X, Y, Z, W float64 }
	wxyz  struct{ W, X, Y, Z float32 }
	quats struct {
		A [4]float32 `net:"quat"`
		B xyzw       `net:"quat,bits=16"`
		C [2]wxyz    `net:"quat,bits=3"`
	}
	inner struct {
		hidden uint16 //nolint:unused // plans go by memory: what nobody names travels too
		Near   bool
		_      uint32
		Speed  float32 `net:"range=-8..8,step=0.125"`
	}
	nested struct {
		First  inner
		Second [9]inner
		Grid   [2][3]inner
		Cache  [3]uint64 `net:"-"`
		Last   uint8
	}
	links struct {
		Target ecs.Entity
		Slots  [4]struct {
			Item  ecs.Entity
			Count uint8 `net:"range=0..99"`
		}
	}
	button struct {
		Move [2]float32 `net:"range=-1..1,step=0.05"`
		Fire bool       `net:"event"`
		Jump uint8      `net:"event,range=0..3"`
	}
	tally struct {
		Count uint32
		Level float32 `net:"range=0..10,step=0.5"`
		Local uint16  `net:"-"`
	}
)

// bytesOf returns the memory of a value.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// poseCodec is a codec that is registered and never called.
type poseCodec struct{ version string }

func (poseCodec) Encode(*bits.Writer, *pose)       {}
func (poseCodec) Decode(*bits.Reader, *pose) error { return nil }
func (c poseCodec) Version() string                { return c.version }

// noDiffer is a differ that is registered and never called.
type noDiffer[T any] struct{}

func (noDiffer[T]) Diff(*bits.Writer, *T, *T) {}

func (noDiffer[T]) Apply(*bits.Reader, *T) (v T, err error) { return v, nil }

type (
	tallyDiffer  = noDiffer[tally]
	entityDiffer = noDiffer[withEntity]
)

// poseDiffer is a differ with a name of its own.
type poseDiffer struct{ noDiffer[pose] }
