package repl

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// The usual head, read in one go, is what reading it in pieces gives, of any bits
// and behind any record.
func TestUsualHeadEqualsHeadInPieces(t *testing.T) {
	usuals := 0
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "data")
		if len(data) > 1 && rapid.Bool().Draw(t, "usual") {
			data[0], data[1] = data[0]&^0b10|0b01, data[1]|1
		}
		next := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32Range(MaxGroups-10, MaxGroups)).Draw(t, "next")
		fast := Heads{
			Tick: entangle.Tick(rapid.Uint32().Draw(t, "tick")), Updates: rapid.Bool().Draw(t, "updates"),
			next: Handle(next), base: entangle.Tick(rapid.Uint32().Draw(t, "base")), any: rapid.Bool().Draw(t, "any"),
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
		require.Equal(t, plain, fast)
		require.Equal(t, want, got)
		require.Equal(t, r2.RemainingBits(), r1.RemainingBits())
		if len(data) > 1 && data[0]&0b11 == 1 && data[1]&1 == 1 && fast.Updates && plain.any && ok {
			usuals++
		}
	})
	require.NotZero(t, usuals)
}
