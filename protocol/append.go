package protocol

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// AppendComponent appends the bytes of a component to dst as they are sent: its values are rounded,
// and an input has no bytes. Two values are equal on the wire if these bytes are equal, so that the
// dumps or hashes of two worlds can be compared. It returns an error if T is not registered as a
// component or as an input, or if it has entity fields, because entity ids differ on each side.
func AppendComponent[T any](p *Protocol, dst []byte, v *T) ([]byte, error) {
	info := registry.Of(p).ComponentOf(reflect.TypeFor[T]())
	switch {
	case info == nil:
		return dst, fmt.Errorf("protocol: AppendComponent: %v is not registered: register it with Component or Input", reflect.TypeFor[T]())
	case info.Plan == nil:
		return dst, fmt.Errorf("protocol: AppendComponent: %v: %w", reflect.TypeFor[T](), p.Err())
	case info.Plan.HasRefs():
		return dst, fmt.Errorf("protocol: AppendComponent: %v: %w", reflect.TypeFor[T](), errEntities)
	}
	var w bits.Writer
	w.Reset(dst)
	err := wire.EncodeValue(info.Plan, &w, v, nil)
	return w.Finish(), err
}

var errEntities = errors.New("it holds entities, and their ids differ on each side: compare them in another way")
