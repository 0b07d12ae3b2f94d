package channel

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parseAll parses the frames of a packet.
func parseAll(m *Mux, b []byte) (frames []frame, err error) {
	for len(b) > 0 {
		var f frame
		if f, b, err = m.parseFrame(b); err != nil {
			return nil, err
		}
		frames = append(frames, f)
	}
	return frames, nil
}

func encodeAll(frames ...frame) (b []byte) {
	for _, f := range frames {
		b = appendFrame(b, f)
	}
	return b
}

// everyMode has the five modes as channels 0 to 4 and an external channel 5.
func everyMode() []Config {
	return append(allModes(), Config{ID: ID(External), Name: "updates", Mode: External})
}

func TestFrameGolden(t *testing.T) {
	m := newMux(t, everyMode()...)
	long := bytes.Repeat([]byte{0xab}, 300)
	full := bytes.Repeat([]byte{0xcd}, FragmentSize)
	for _, c := range []struct {
		name string
		f    frame
		hex  string
	}{
		{"ordered", frame{id: 0, hasID: true, message: 0x1234, body: []byte{1, 2}}, "00" + "3412" + "02" + "0102"},
		{"sequenced", frame{id: 3, hasID: true, message: 0xffff, body: nil}, "03" + "ffff" + "00"},
		{"unordered unreliable", frame{id: 4, body: []byte{9}}, "04" + "01" + "09"},
		{"external", frame{id: 5, body: []byte{7, 7}}, "05" + "02" + "0707"},
		{"last", frame{id: 0, last: true, hasID: true, message: 1, body: []byte{9}}, "80" + "0100" + "09"},
		{"long", frame{id: 5, body: long}, "05" + "ac02" + hex.EncodeToString(long)},
		{"fragment", frame{id: 4, fragment: true, hasID: true, message: 5, index: 0, final: 2, body: full}, "44" + "0500" + "00" + "02" + hex.EncodeToString(full)},
		{"rest", frame{id: 1, fragment: true, hasID: true, message: 5, index: 2, final: 2, body: []byte{8}}, "41" + "0500" + "02" + "02" + "01" + "08"},
		{"last rest", frame{id: 1, last: true, fragment: true, hasID: true, message: 5, index: 2, final: 2, body: []byte{8}}, "c1" + "0500" + "02" + "02" + "08"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := appendFrame(nil, c.f)
			assert.Equal(t, c.hex, hex.EncodeToString(b))
			assert.Len(t, b, frameSize(&c.f))
			got, rest, err := m.parseFrame(b)
			require.NoError(t, err)
			assert.Empty(t, rest)
			assert.Equal(t, c.hex, hex.EncodeToString(appendFrame(nil, got)))
		})
	}
}

func TestHandleFramesRefusesMalformed(t *testing.T) {
	full := hex.EncodeToString(make([]byte, FragmentSize))
	for _, c := range []struct{ name, hex string }{
		{"no message id", "00"},
		{"half a message id", "0001"},
		{"no length", "000100"},
		{"body cut short", "0001000201"},
		{"length in two bytes below 128", "0001008100ff"},
		{"length with a third byte", "0001008080"},
		{"fragment without index", "410100"},
		{"fragment without final", "41010000"},
		{"only fragment", "4101000000" + "0101"},
		{"index behind final", "4101000201" + "0101"},
		{"too many fragments", "41010079790101"},
		{"too many for unreliable", "4401003d3d0101"},
		{"empty rest", "410100010100"},
		{"empty last rest", "c101000101"},
		{"fragment cut short", "4101000001" + full[2:]},
		{"last on a full fragment", "c101000001" + full},
		{"fragment of an external channel", "45" + "0100" + "0101" + "0101"},
		{"message beyond a fragment's size", "00" + "0100" + "a104" + full + "00"},
		{"last message beyond a fragment's size", "80" + "0100" + full + "00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMux(t, everyMode()...)
			b, err := hex.DecodeString(c.hex)
			require.NoError(t, err)
			good := encodeAll(frame{id: 4, body: []byte("good")})
			require.ErrorIs(t, m.HandleFrames(append(good, b...), epoch), ErrMalformed)
			assert.Empty(t, received(m), "nothing of a malformed packet counts")
			assert.Equal(t, uint64(1), m.Stats().Refused)
		})
	}
}

func TestHandleFramesRefusesUnknownChannels(t *testing.T) {
	m := newMux(t, everyMode()...)
	require.ErrorIs(t, m.HandleFrames([]byte{6, 0}, epoch), ErrUnknownChannel)
	require.ErrorIs(t, m.HandleFrames([]byte{63, 0}, epoch), ErrUnknownChannel)
	require.ErrorIs(t, m.HandleFrames(make([]byte, 1<<16), epoch), ErrMalformed, "longer than any packet")
	require.NoError(t, m.HandleFrames(nil, epoch), "a packet may carry nothing")
}

// validPacket has one frame of every kind.
func validPacket() []byte {
	full := bytes.Repeat([]byte{1}, FragmentSize)
	return encodeAll(
		frame{id: 0, hasID: true, message: 0, body: []byte("a")},
		frame{id: 1, hasID: true, message: 3, body: bytes.Repeat([]byte("b"), 200)},
		frame{id: 2, hasID: true, message: 1, fragment: true, index: 0, final: 1, body: full},
		frame{id: 3, hasID: true, message: 9, body: []byte("d")},
		frame{id: 4, body: []byte("e")},
		frame{id: 5, body: []byte("f")},
		frame{id: 2, last: true, hasID: true, message: 1, fragment: true, index: 1, final: 1, body: []byte("g")},
	)
}

// Proves: Z6
func TestEveryPrefixAndBitFlip(t *testing.T) {
	whole := validPacket()
	try := func(b []byte) {
		m := newMux(t, everyMode()...)
		frames, err := parseAll(m, b)
		if err == nil {
			require.True(t, bytes.Equal(b, encodeAll(frames...)))
		}
		if m.HandleFrames(b, epoch) == nil {
			require.NoError(t, err)
		}
		received(m)
	}
	for n := range whole {
		try(whole[:n:n])
	}
	for bit := range len(whole) * 8 {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		try(b)
	}
}

func FuzzHandleFrames(f *testing.F) {
	f.Add(validPacket(), []byte{})
	f.Add([]byte{0, 0, 0, 1, 9}, []byte{0x80, 1, 0})
	f.Add([]byte{0x41, 1, 0, 1, 1, 1, 7}, []byte{0x41, 1, 0, 2, 2, 1, 7})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		m := newMux(t, everyMode()...)
		for _, b := range [][]byte{first, second, first} {
			frames, err := parseAll(m, b)
			if err == nil {
				require.True(t, bytes.Equal(b, encodeAll(frames...)))
			}
			if applied := m.HandleFrames(b, epoch); err != nil {
				require.Error(t, applied)
			}
			for _, body, ok := m.Poll(); ok; _, body, ok = m.Poll() {
				require.LessOrEqual(t, len(body), max(MaxMessage, len(b)))
			}
			require.LessOrEqual(t, m.Held(), ReliableWindow+UnreliableWindow)
		}
		m.Expire(epoch.Add(ReassemblyTimeout))
		require.Zero(t, m.held.unreliable)
	})
}
