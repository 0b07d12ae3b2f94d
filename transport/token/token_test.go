package token_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport/token"
)

const (
	protocolID = 0x1122334455667788
	created    = 1_800_000_000
)

var now = time.Unix(created, 0)

// golden reads bytes that the independent client in test/netcode wrote.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../test/netcode/testdata/" + name + ".hex")
	require.NoError(t, err)
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	require.NoError(t, err)
	return b
}

// counting fills b with first, first+1, ...
func counting(b []byte, first byte) {
	for i := range b {
		b[i] = first + byte(i)
	}
}

func goldenServerKey() (k token.Key) {
	counting(k[:], 0)
	return k
}

func goldenPrivate() *token.Private {
	p := &token.Private{
		ClientID: 0x0102030405060708,
		Timeout:  5,
		Servers: []netip.AddrPort{
			netip.MustParseAddrPort("203.0.113.7:40000"),
			netip.MustParseAddrPort("[2001:db8::1:2]:40001"),
		},
	}
	counting(p.ClientToServer[:], 0x20)
	counting(p.ServerToClient[:], 0x40)
	for i := range p.UserData {
		p.UserData[i] = byte(i * 7)
	}
	return p
}

func goldenNonce() (nonce [token.NonceSize]byte) {
	counting(nonce[:], 0x80)
	return nonce
}

func TestThePrivateHalfEqualsTheGoldens(t *testing.T) {
	p := goldenPrivate()
	assert.Equal(t, golden(t, "token_private_plain"), p.AppendPlain(nil))
	var read token.Private
	require.NoError(t, read.ParsePlain(golden(t, "token_private_plain")))
	assert.Equal(t, p, &read)

	opener, err := token.NewOpener(goldenServerKey(), protocolID)
	require.NoError(t, err)
	sealed := opener.Seal(nil, created+30, goldenNonce(), p)
	assert.Equal(t, golden(t, "token_private_sealed"), sealed)
	nonce := goldenNonce()
	var opened token.Private
	require.NoError(t, opener.Open(created+30, nonce[:], sealed, &opened))
	assert.Equal(t, p, &opened)

	p.Timeout = -1
	assert.Equal(t, golden(t, "token_private_never"), p.AppendPlain(nil))
}

func TestThePublicTokenEqualsTheGolden(t *testing.T) {
	p := goldenPrivate()
	public := token.Public{
		ProtocolID: protocolID, Created: created, Expires: created + 30, Nonce: goldenNonce(),
		Timeout: p.Timeout, Servers: p.Servers, ClientToServer: p.ClientToServer, ServerToClient: p.ServerToClient,
	}
	copy(public.Sealed[:], golden(t, "token_private_sealed"))
	want := golden(t, "token_public")
	assert.Equal(t, want, public.Append(nil))
	parsed, err := token.Parse(want)
	require.NoError(t, err)
	assert.Equal(t, want, parsed.Bytes())
	got, err := parsed.Public()
	require.NoError(t, err)
	assert.Equal(t, public, got)
}

// Mint reads nonce, client-to-server key and server-to-client key from Entropy, in this order;
// given the values of the golden file, it makes the same token.
//
// Proves: C18
func TestMintMakesTheGolden(t *testing.T) {
	nonce, p := goldenNonce(), goldenPrivate()
	minted, err := token.Mint(goldenServerKey(), token.Claims{
		ProtocolID: protocolID, ClientID: p.ClientID, Servers: p.Servers, UserData: p.UserData[:],
		Now:     now.Add(999 * time.Millisecond),
		Entropy: bytes.NewReader(append(append(nonce[:], p.ClientToServer[:]...), p.ServerToClient[:]...)),
	})
	require.NoError(t, err)
	assert.Equal(t, golden(t, "token_public"), minted.Bytes())
}

func TestASealedHalfThatWasAlteredDoesNotOpen(t *testing.T) {
	nonce, sealed := goldenNonce(), golden(t, "token_private_sealed")
	opener, err := token.NewOpener(goldenServerKey(), protocolID)
	require.NoError(t, err)
	var p token.Private
	for i := range len(sealed) * 8 {
		b := bytes.Clone(sealed)
		b[i/8] ^= 1 << (i % 8)
		require.ErrorIs(t, opener.Open(created+30, nonce[:], b, &p), token.ErrForged)
	}
	for n := range sealed {
		require.ErrorIs(t, opener.Open(created+30, nonce[:], bytes.Clone(sealed[:n]), &p), token.ErrInvalid)
	}
	assert.ErrorIs(t, opener.Open(created+31, nonce[:], bytes.Clone(sealed), &p), token.ErrForged)
	other, err := token.NewOpener(goldenServerKey(), protocolID+1)
	require.NoError(t, err)
	assert.ErrorIs(t, other.Open(created+30, nonce[:], bytes.Clone(sealed), &p), token.ErrForged)
	assert.NoError(t, opener.Open(created+30, nonce[:], bytes.Clone(sealed), &p))
}

func TestAForgedHalfCostsNoMemory(t *testing.T) {
	nonce, sealed := goldenNonce(), golden(t, "token_private_sealed")
	opener, err := token.NewOpener(token.Key{9}, protocolID)
	require.NoError(t, err)
	var p token.Private
	buffer := make([]byte, len(sealed))
	assert.Zero(t, alloctest.Count(100, func() {
		copy(buffer, sealed)
		_ = opener.Open(created+30, nonce[:], buffer, &p)
	}))
}

func claims() token.Claims {
	return token.Claims{
		ProtocolID: protocolID, ClientID: 1, Now: now,
		Servers: []netip.AddrPort{netip.MustParseAddrPort("[::ffff:10.0.0.1]:1")},
	}
}

func TestMintFillsInDefaults(t *testing.T) {
	c := claims()
	for _, want := range []struct {
		timeout, life time.Duration
		seconds       int32
		span          uint64
	}{
		{0, 0, 5, 30},
		{-time.Hour, time.Second, -1, 1},
		{1500 * time.Millisecond, 1500 * time.Millisecond, 2, 2},
	} {
		c.Timeout, c.Life = want.timeout, want.life
		minted, err := token.Mint(goldenServerKey(), c)
		require.NoError(t, err)
		public, err := minted.Public()
		require.NoError(t, err)
		assert.Equal(t, want.seconds, public.Timeout)
		assert.Equal(t, want.span, public.Expires-public.Created)
		assert.Equal(t, "10.0.0.1:1", public.Servers[0].String(), "written as IPv4")
		assert.NotEqual(t, public.ClientToServer, public.ServerToClient)
	}
}

func TestMistakesInTheClaimsNameTheirField(t *testing.T) {
	for field, spoil := range map[string]func(*token.Claims){
		"ClientID is":      func(c *token.Claims) { c.ClientID = entangle.Nobody },
		"Servers lists 0":  func(c *token.Claims) { c.Servers = nil },
		"Servers lists 33": func(c *token.Claims) { c.Servers = make([]netip.AddrPort, 33) },
		"Servers has 1.2.3.4:0": func(c *token.Claims) {
			c.Servers = []netip.AddrPort{netip.MustParseAddrPort("1.2.3.4:0")}
		},
		"Servers has [fe80::1%eth0]:5": func(c *token.Claims) {
			c.Servers = []netip.AddrPort{netip.MustParseAddrPort("[fe80::1%eth0]:5")}
		},
		"Timeout is":       func(c *token.Claims) { c.Timeout = 1 << 62 },
		"Life is negative": func(c *token.Claims) { c.Life = -1 },
		"Life is 1":        func(c *token.Claims) { c.Life = 1 << 62 },
		"UserData has 257": func(c *token.Claims) { c.UserData = make([]byte, 257) },
		"Now is not set":   func(c *token.Claims) { c.Now = time.Time{} },
		"Entropy":          func(c *token.Claims) { c.Entropy = bytes.NewReader(make([]byte, 87)) },
	} {
		c := claims()
		spoil(&c)
		_, err := token.Mint(goldenServerKey(), c)
		assert.ErrorContains(t, err, "Claims."+field)
	}
	_, err := token.Mint(token.Key{}, claims())
	assert.ErrorContains(t, err, "NewKey")
}

func TestNextSecondIsNeverBeforeNow(t *testing.T) {
	assert.Equal(t, now, token.NextSecond(now))
	assert.Equal(t, now.Add(time.Second), token.NextSecond(now.Add(1)))
	assert.Equal(t, now.Add(time.Second), token.NextSecond(now.Add(999*time.Millisecond)))
}

func TestTokensGoThroughJSON(t *testing.T) {
	type answer struct{ Token token.Token }
	minted, err := token.Mint(goldenServerKey(), claims())
	require.NoError(t, err)
	text, err := json.Marshal(answer{minted})
	require.NoError(t, err)
	var back answer
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, minted, back.Token)
	require.NoError(t, json.Unmarshal([]byte(`{"Token":""}`), &back))
	assert.True(t, back.Token.IsZero())
	for _, bad := range []string{"AAAA", strings.Repeat("A", 2732), strings.Repeat("!", 2732)} {
		assert.ErrorIs(t, new(token.Token).UnmarshalText([]byte(bad)), token.ErrInvalid)
	}
}

func TestPrintingGivesNoSecretAway(t *testing.T) {
	key := token.NewKey()
	minted, err := token.Mint(key, claims())
	require.NoError(t, err)
	public, err := minted.Public()
	require.NoError(t, err)
	config := struct {
		Key   token.Key
		Token token.Token
	}{key, minted}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q"} {
		text := fmt.Sprintf(format, config)
		for _, secret := range []token.Key{key, public.ClientToServer, public.ServerToClient} {
			assert.NotContains(t, text, fmt.Sprintf("%x", secret[:4]), format)
			assert.NotContains(t, text, fmt.Sprintf("%d %d %d", secret[0], secret[1], secret[2]), format)
			assert.NotContains(t, text, string(secret[:4]), format)
			assert.NotContains(t, text, fmt.Sprintf("%#x, %#x", secret[0], secret[1]), format)
		}
	}
	assert.Contains(t, minted.String(), "10.0.0.1:1")
	assert.Equal(t, "token.Token(none)", token.Token{}.String())
}

func TestKeysReadBack(t *testing.T) {
	key := token.NewKey()
	assert.NotEqual(t, key, token.NewKey())
	back, err := token.ParseKey(key.Hex())
	require.NoError(t, err)
	assert.Equal(t, key, back)
	for _, bad := range []string{"", "00", key.Hex() + "00", strings.Repeat("g", 64)} {
		_, err := token.ParseKey(bad)
		assert.ErrorContains(t, err, "64 hexadecimal digits")
	}
}

func TestTheZeroTokenIsNone(t *testing.T) {
	var none token.Token
	assert.True(t, none.IsZero())
	assert.Nil(t, none.Bytes())
	_, err := none.Public()
	assert.ErrorIs(t, err, token.ErrInvalid)
}

func TestPrivateHalvesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := token.Private{
			ClientID: entangle.ClientID(rapid.Uint64().Draw(t, "id")),
			Timeout:  rapid.Int32().Draw(t, "timeout"),
			Servers:  rapid.SliceOfN(servers(), 1, token.MaxServers).Draw(t, "servers"),
		}
		copy(p.UserData[:], rapid.SliceOfN(rapid.Byte(), 256, 256).Draw(t, "data"))
		b := p.AppendPlain(nil)
		var back token.Private
		require.NoError(t, back.ParsePlain(b))
		require.Equal(t, p, back)
	})
}

func servers() *rapid.Generator[netip.AddrPort] {
	return rapid.Custom(func(t *rapid.T) netip.AddrPort {
		var ip [16]byte
		copy(ip[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ip"))
		port := rapid.Uint16Min(1).Draw(t, "port")
		if rapid.Bool().Draw(t, "v4") {
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip[:4])), port)
		}
		return netip.AddrPortFrom(netip.AddrFrom16(ip), port)
	})
}

// Proves: C13, Z6
func FuzzParse(f *testing.F) {
	f.Add(golden(f, "token_public"))
	f.Add(golden(f, "token_private_plain"))
	f.Fuzz(func(t *testing.T, b []byte) {
		parsed, err := token.Parse(b)
		if err != nil {
			require.ErrorIs(t, err, token.ErrInvalid)
			return
		}
		public, err := parsed.Public()
		require.NoError(t, err)
		require.Equal(t, b, public.Append(nil))
	})
}

// Proves: C13, Z6
func FuzzParsePlain(f *testing.F) {
	f.Add(golden(f, "token_private_plain"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p token.Private
		if p.ParsePlain(b) == nil {
			require.Equal(t, b, p.AppendPlain(nil))
		}
	})
}

// Proves: C13, Z6
func TestEveryPrefixAndBitFlipOfATokenIsRefusedOrReadsBack(t *testing.T) {
	public, plain := golden(t, "token_public"), golden(t, "token_private_plain")
	for n := range public {
		_, err := token.Parse(public[:n])
		require.ErrorIs(t, err, token.ErrInvalid)
	}
	for i := range len(public) * 8 {
		b := bytes.Clone(public)
		b[i/8] ^= 1 << (i % 8)
		if parsed, err := token.Parse(b); err == nil {
			p, err := parsed.Public()
			require.NoError(t, err)
			require.Equal(t, b, p.Append(nil), "bit %d", i)
		}
	}
	for i := range len(plain) * 8 {
		b := bytes.Clone(plain)
		b[i/8] ^= 1 << (i % 8)
		var p token.Private
		if p.ParsePlain(b) == nil {
			require.Equal(t, b, p.AppendPlain(nil), "bit %d", i)
		}
	}
}
