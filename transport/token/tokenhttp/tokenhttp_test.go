package tokenhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/token/tokenhttp"
)

const protocolID = 77

var (
	key    = token.Key{1, 2, 3}
	server = netip.MustParseAddrPort("203.0.113.7:40000")
	now    = time.Unix(1_800_000_000, 0)
)

// login knows one player, by password.
func login(r *http.Request) (entangle.ClientID, []byte, error) {
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return 0, nil, err
	case r.Header.Get("Broken") != "":
		return 0, nil, errors.Join(errors.New("secret detail"), tokenhttp.ErrUnavailable)
	case r.Header.Get("Nobody") != "":
		return entangle.Nobody, nil, nil
	case string(body) != "open sesame":
		return 0, nil, errors.New("secret detail")
	}
	return 42, []byte("a pony"), nil
}

func config() tokenhttp.Config {
	return tokenhttp.Config{
		Key: key, ProtocolID: protocolID, Servers: []netip.AddrPort{server},
		Login: login, Clock: func() time.Time { return now },
	}
}

// Proves: C17
func TestAClientThatLogsInFetchesAToken(t *testing.T) {
	backend := httptest.NewTLSServer(tokenhttp.Handler(config()))
	defer backend.Close()
	got, err := tokenhttp.Fetch(context.Background(), backend.Client(), backend.URL,
		tokenhttp.Credentials{Body: []byte("open sesame")})
	require.NoError(t, err)

	public, err := got.Public()
	require.NoError(t, err)
	assert.Equal(t, []netip.AddrPort{server}, public.Servers)
	assert.Equal(t, uint64(now.Unix()), public.Created)
	assert.Equal(t, uint64(now.Unix()+30), public.Expires)

	opener, err := token.NewOpener(key, protocolID)
	require.NoError(t, err)
	var private token.Private
	require.NoError(t, opener.Open(public.Expires, public.Nonce[:], public.Sealed[:], &private))
	assert.Equal(t, entangle.ClientID(42), private.ClientID)
	assert.Equal(t, "a pony", strings.TrimRight(string(private.UserData[:]), "\x00"))
}

func TestFailuresHaveAStatusAndNoDetail(t *testing.T) {
	for name, c := range map[string]struct {
		method, body, header string
		want                 int
	}{
		"wrong password": {http.MethodPost, "please", "", http.StatusForbidden},
		"GET":            {http.MethodGet, "open sesame", "", http.StatusMethodNotAllowed},
		"long body":      {http.MethodPost, strings.Repeat("x", 4097), "", http.StatusRequestEntityTooLarge},
		"hook is down":   {http.MethodPost, "open sesame", "Broken", http.StatusServiceUnavailable},
		"hook is wrong":  {http.MethodPost, "open sesame", "Nobody", http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
			if c.header != "" {
				r.Header.Set(c.header, "yes")
			}
			w := httptest.NewRecorder()
			tokenhttp.Handler(config()).ServeHTTP(w, r)
			assert.Equal(t, c.want, w.Code)
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			assert.NotContains(t, w.Body.String(), "secret detail")
			assert.Less(t, w.Body.Len(), 100, "no token in a refusal")
		})
	}
}

func TestAnAnswerIsNotCached(t *testing.T) {
	w := httptest.NewRecorder()
	tokenhttp.Handler(config()).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("open sesame")))
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	assert.Equal(t, token.Size, w.Body.Len())
}

func TestFetchReturnsAnErrorForEachFailure(t *testing.T) {
	ctx := context.Background()
	fetch := func(h http.HandlerFunc) error {
		backend := httptest.NewServer(h)
		defer backend.Close()
		_, err := tokenhttp.Fetch(ctx, nil, backend.URL, tokenhttp.Credentials{})
		return err
	}

	var status *tokenhttp.StatusError
	require.ErrorAs(t, fetch(tokenhttp.Handler(config()).ServeHTTP), &status)
	assert.Equal(t, http.StatusForbidden, status.Code)

	assert.ErrorIs(t, fetch(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 3000))
	}), token.ErrInvalid)

	require.ErrorAs(t, fetch(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
	}), &status)
	assert.Equal(t, http.StatusTemporaryRedirect, status.Code, "a redirect is not followed")

	_, err := tokenhttp.Fetch(ctx, nil, "http://example.com/token", tokenhttp.Credentials{})
	assert.ErrorIs(t, err, tokenhttp.ErrInsecure)
	_, err = tokenhttp.Fetch(ctx, nil, "://", tokenhttp.Credentials{})
	assert.Error(t, err)
}

func TestAConfigThatCannotWorkPanicsAtOnce(t *testing.T) {
	for field, spoil := range map[string]func(*tokenhttp.Config){
		"Key":     func(c *tokenhttp.Config) { c.Key = token.Key{} },
		"Servers": func(c *tokenhttp.Config) { c.Servers = nil },
		"Login":   func(c *tokenhttp.Config) { c.Login = nil },
		"Life":    func(c *tokenhttp.Config) { c.Life = -1 },
	} {
		t.Run(field, func(t *testing.T) {
			c := config()
			spoil(&c)
			assert.Panics(t, func() { tokenhttp.Handler(c) })
		})
	}
}
