package session

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/token"
)

// golden reads bytes that the independent client in test/netcode has written, with the keys and
// nonces below.
func golden(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../test/netcode/testdata/" + name + ".hex")
	require.NoError(t, err)
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	require.NoError(t, err)
	return b
}

const (
	goldenExpires   = 1_800_000_030
	goldenChallenge = 3 // sequence of the challenge token
)

// goldenKey counts up from its first byte.
func goldenKey(first byte) (k token.Key) {
	for i := range k {
		k[i] = first + byte(i)
	}
	return k
}

func goldenSealer(t *testing.T, first byte) *sealer {
	s, err := newSealer(protocolID, goldenKey(first), newAEAD)
	require.NoError(t, err)
	return &s
}

func goldenClaim() *challenge {
	c := &challenge{client: 0x0102030405060708}
	for i := range c.userData {
		c.userData[i] = byte(i * 7)
	}
	return c
}

func TestChallengeTokensEqualTheGolden(t *testing.T) {
	c, err := newChallenger(goldenKey(0x60), newAEAD)
	require.NoError(t, err)
	c.sequence = goldenChallenge
	var plain [challengeSize]byte
	assert.Equal(t, golden(t, "token_challenge_plain"), goldenClaim().encode(plain[:]))

	var a answer
	c.seal(goldenClaim(), &a)
	assert.Equal(t, golden(t, "token_challenge_sealed"), a.sealed[:])
	var opened challenge
	require.True(t, c.decrypt(&a, &opened))
	assert.Equal(t, goldenClaim(), &opened)
}

func TestTheRequestEqualsTheGolden(t *testing.T) {
	want := golden(t, "packet_request")
	nonce := make([]byte, token.NonceSize)
	for i := range nonce {
		nonce[i] = 0x80 + byte(i)
	}
	r := request{protocolID, goldenExpires, nonce, golden(t, "token_private_sealed")}
	assert.Equal(t, want, r.appendTo(nil))
	got, ok := readRequest(want)
	require.True(t, ok)
	assert.Equal(t, r, got)
}

func TestSealedPacketsEqualTheGoldens(t *testing.T) {
	a := answer{sequence: goldenChallenge}
	copy(a.sealed[:], golden(t, "token_challenge_sealed"))
	var answered [answerSize]byte
	a.encode(answered[:])
	var alive [keepAliveSize]byte
	keepAlive{5, 64}.encode(alive[:])
	up, down := byte(0x20), byte(0x40)
	counting, largest := make([]byte, 100), make([]byte, MaxForeignPayload)
	for i := range counting {
		counting[i] = byte(i)
	}
	for i := range largest {
		largest[i] = byte(i * 3)
	}
	for name, c := range map[string]struct {
		key      byte
		kind     kind
		sequence uint64
		body     []byte
	}{
		"denied":          {down, kindDenied, globals, nil},
		"challenge":       {down, kindChallenge, globals + 1, answered[:]},
		"response":        {up, kindResponse, 0, answered[:]},
		"keep_alive":      {down, kindKeepAlive, 255, alive[:]},
		"payload":         {down, kindPayload, 256, counting},
		"payload_largest": {up, kindPayload, 1<<64 - 1, largest},
		"disconnect":      {up, kindDisconnect, 0x010203, nil},
	} {
		t.Run(name, func(t *testing.T) {
			want := golden(t, "packet_"+name)
			s := goldenSealer(t, c.key)
			assert.Equal(t, want, s.seal(nil, c.kind, c.sequence, c.body))

			h, drop := readHeader(want, setOf(c.kind))
			require.Equal(t, dropNone, drop)
			assert.Equal(t, c.sequence, h.sequence)
			body, ok := s.decrypt(h, want)
			require.True(t, ok)
			assert.True(t, c.kind.sizeFits(len(body)))
			assert.Equal(t, append([]byte{}, c.body...), append([]byte{}, body...))
		})
	}
	assert.Equal(t, keepAlive{5, 64}, decodeKeepAlive(alive[:]))
	var back answer
	decodeAnswer(answered[:], &back)
	assert.Equal(t, a, back)
}
