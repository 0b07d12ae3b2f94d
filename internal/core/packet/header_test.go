package packet

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	entangle "github.com/entangle-ecs/entangle"
)

// Proves: P1
func TestHeaderGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		h    Header
		hex  string
	}{
		{"first", Header{Kind: Data, ID: 1}, "01" + "0100" + "0000" + "00000000" + "00000000"},
		{"all fields", Header{Kind: AckOnly, ID: 0x1234, Ack: 0x5678, AckBits: 0x9abcdef0, AckDelay: 64 * ms, Tick: 0x01020304}, "42" + "3412" + "7856" + "f0debc9a" + "04030201"},
		{"wrapped", Header{Kind: Goodbye, ID: 0, Ack: 65535, AckBits: 1<<32 - 1, AckDelay: MaxAckDelay, Tick: 1<<32 - 1}, "ff" + "0000" + "ffff" + "ffffffff" + "ffffffff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := AppendHeader(nil, c.h)
			assert.Equal(t, c.hex, hex.EncodeToString(b))
			h, rest, err := ParseHeader(append(b, 7))
			require.NoError(t, err)
			assert.Equal(t, c.h, h)
			assert.Equal(t, []byte{7}, rest)
		})
	}
}

func TestParseHeaderRefuses(t *testing.T) {
	whole := AppendHeader(nil, Header{Kind: Data})
	for n := range HeaderSize {
		_, _, err := ParseHeader(whole[:n])
		require.ErrorIs(t, err, ErrShort, "%d bytes", n)
	}
	for first := range 256 {
		whole[0] = byte(first)
		_, _, err := ParseHeader(whole)
		if first%4 == 0 {
			require.ErrorIs(t, err, ErrKind, "first byte %d", first)
		} else {
			require.NoError(t, err)
		}
	}
}

// Proves: P1
func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Header{
			Kind:     Kind(rapid.IntRange(1, 3).Draw(t, "kind")),
			ID:       rapid.Uint16().Draw(t, "id"),
			Ack:      rapid.Uint16().Draw(t, "ack"),
			AckBits:  rapid.Uint32().Draw(t, "bits"),
			AckDelay: delayOf(byte(rapid.IntRange(0, 63).Draw(t, "delay"))),
			Tick:     entangle.Tick(rapid.Uint32().Draw(t, "tick")),
		}
		got, rest, err := ParseHeader(AppendHeader(nil, h))
		require.NoError(t, err)
		assert.Empty(t, rest)
		assert.Equal(t, h, got)
	})
}

// Proves: P1
func TestDelayCodes(t *testing.T) {
	for code := range byte(64) {
		assert.Equal(t, code, delayCode(delayOf(code)))
	}
	for delay, want := range map[time.Duration]time.Duration{
		-time.Second: 0, -ms: 0, 0: 0, 2*ms - 1: 0, 2 * ms: 4 * ms, 33 * ms: 32 * ms, 249 * ms: 248 * ms,
		250 * ms: MaxAckDelay, MaxAckDelay: MaxAckDelay, time.Hour: MaxAckDelay,
	} {
		assert.Equal(t, want, delayOf(delayCode(delay)), delay)
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add(AppendHeader(nil, Header{Kind: Data, ID: 7, Ack: 3, AckBits: 5, AckDelay: 20 * ms, Tick: 9}))
	f.Add([]byte{3, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, rest, err := ParseHeader(b)
		if err != nil {
			return
		}
		assert.Equal(t, b, append(AppendHeader(nil, h), rest...))
	})
}
