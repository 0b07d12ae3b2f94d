package script

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValuesAreSetInOrderOrByName(t *testing.T) {
	type pair struct{ A, B int8 }
	type value struct {
		N    uint8
		Pair pair
		List [2]bool
	}
	for text, want := range map[string]value{
		"1,2,3,true,false":   {1, pair{2, 3}, [2]bool{true, false}},
		"Pair:2,3":           {Pair: pair{2, 3}},
		"List:true,true,N:4": {N: 4, List: [2]bool{true, true}},
		"Pair:B:7,N:1":       {N: 1, Pair: pair{B: 7}},
		"1,B:3,false*2":      {N: 1, Pair: pair{B: 3}},
	} {
		var got value
		require.NoError(t, ParseValue(reflect.ValueOf(&got).Elem(), text, nil), text)
		assert.Equal(t, want, got, text)
	}
}
