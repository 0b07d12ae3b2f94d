package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHeadersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := kind(rapid.IntRange(1, int(kinds)-1).Draw(t, "kind"))
		bits := rapid.IntRange(0, 64).Draw(t, "bits")
		sequence := rapid.Uint64().Draw(t, "sequence") >> (64 - bits)
		b := appendHeader(nil, k, sequence)
		h, drop := readHeader(append(b, make([]byte, tagSize)...), setOf(k))
		require.Equal(t, dropNone, drop)
		require.Equal(t, header{k, len(b), sequence}, h)
		require.True(t, len(b) == 2 || b[len(b)-1] != 0, "as few bytes as the sequence needs")
	})
}

func TestHeadersAreCheckedInTheOrderOfTheStandard(t *testing.T) {
	packet := func(prefix byte, size int) []byte {
		b := make([]byte, size)
		b[0] = prefix
		return b
	}
	for name, c := range map[string]struct {
		b    []byte
		want Drop
	}{
		"17 bytes":             {packet(0x15, 17), DropTooShort},
		"1226 bytes":           {packet(0x15, 1226), DropTooLong},
		"type 7":               {packet(0x17, 18), DropUnknownKind},
		"type 15":              {packet(0x1f, 18), DropUnknownKind},
		"a challenge":          {packet(0x12, 18), DropUnwantedKind},
		"no sequence bytes":    {packet(0x05, 18), DropSequenceSize},
		"nine sequence bytes":  {packet(0x95, 100), DropSequenceSize},
		"too few for sequence": {packet(0x35, 19), DropSequenceSize},
		"enough":               {packet(0x35, 20), dropNone},
		"largest":              {packet(0x85, 1225), dropNone},
	} {
		_, drop := readHeader(c.b, serverReads)
		assert.Equal(t, c.want, drop, name)
	}
}

func TestASequenceMayHaveMoreBytesThanItNeeds(t *testing.T) {
	h, drop := readHeader(append([]byte{0x45, 7, 0, 0, 0}, make([]byte, tagSize)...), serverReads)
	assert.Equal(t, dropNone, drop)
	assert.Equal(t, uint64(7), h.sequence)
}
