package columns

import (
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

func TestPackEntity(t *testing.T) {
	w := ecs.NewWorld()
	first := w.NewEntity()
	w.RemoveEntity(first)
	again, other := w.NewEntity(), w.NewEntity()
	for _, e := range []ecs.Entity{{}, first, again, other} {
		assert.Equal(t, e, UnpackEntity(PackEntity(e)))
	}
	assert.Zero(t, PackEntity(ecs.Entity{}))
	assert.NotEqual(t, PackEntity(first), PackEntity(again), "generations count")
}

func TestValueOf(t *testing.T) {
	type pair struct {
		a uint8
		b uint64
	}
	v := pair{3, 1 << 40}
	b := append(make([]byte, 0, 32), unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v))...)
	assert.Equal(t, v, ValueOf[pair](append(b, 1, 2)))
	assert.Panics(t, func() { ValueOf[pair](b[:8]) })
	assert.Equal(t, struct{}{}, ValueOf[struct{}](nil))
}
