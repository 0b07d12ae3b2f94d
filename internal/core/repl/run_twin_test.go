package repl

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Reading the usual step of a run at once gives the same result as reading it in pieces, for any
// bits and after any record.
func TestUsualStepEqualsStepInPieces(t *testing.T) {
	usuals := 0
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "data")
		if len(data) > 0 && rapid.Bool().Draw(t, "usual") {
			data[0] |= 0b11
		}
		at := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32Range(MaxGroups-3, MaxGroups+3), rapid.Uint32Range(2*MaxGroups-3, 2*MaxGroups-1))
		fast := Run{
			Tick: entangle.Tick(rapid.Uint32().Draw(t, "tick")),
			at:   Handle(at.Draw(t, "at")), from: From{Base: entangle.Tick(rapid.Uint32().Draw(t, "base")), Apart: uint8(rapid.IntRange(0, MaxApart).Draw(t, "apart"))},
		}
		plain := fast
		var r1, r2 pack.Reader
		r1.Reset(data)
		r2.Reset(data)
		var got, want Record
		more, ok := fast.Read(&r1, &got)
		wantMore, wantOK := plain.readAny(&r2, &want)
		require.Equal(t, wantMore, more)
		require.Equal(t, wantOK, ok)
		require.Equal(t, want, got)
		if ok {
			require.Equal(t, plain, fast)
			require.Equal(t, r2.RemainingBits(), r1.RemainingBits())
		}
		if ok && more && len(data) > 0 && data[0]&0b11 == 0b11 {
			usuals++
		}
	})
	require.NotZero(t, usuals)
}
