package wire

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestATagNotInGosFormIsNotOverlooked(t *testing.T) {
	_, err := tagOf(reflect.StructField{Name: "A", Tag: `net: "range=0..1"`}, nil)
	assert.ErrorContains(t, err, "not in Go's form")
}
