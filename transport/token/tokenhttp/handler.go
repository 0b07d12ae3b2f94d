package tokenhttp

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// DefaultMaxBody limits the size of a posted body in bytes: names, passwords and signed
// tickets are shorter.
const DefaultMaxBody = 4096

// contentType of a response: the 2048 bytes of the token.
const contentType = "application/octet-stream"

// Config configures a Handler: the tokens to hand out, and the login.
type Config struct {
	// Key is the key that the game servers share. Zero is an error.
	Key token.Key

	// ProtocolID is that of the game servers: protocol.ID of the game's name.
	ProtocolID uint64

	// Servers are the addresses that the tokens list; list one (see token.Claims).
	Servers []netip.AddrPort

	// Timeout and Life of the tokens, as in token.Claims.
	Timeout, Life time.Duration

	// Login authenticates the player from headers or body, and returns the user data for
	// the game server (at most token.MaxUserData bytes). ErrUnavailable is answered with
	// 503, any other error with 403; its text is not sent. It may run in several
	// goroutines at once.
	Login func(*http.Request) (id entangle.ClientID, userData []byte, err error)

	// MaxBody is how many bytes Login can read. Zero: DefaultMaxBody. Negative: no body.
	MaxBody int64

	// Clock returns the time of minting. Nil: time.Now.
	Clock func() time.Time

	// Entropy yields keys and nonces, from several goroutines at once. Nil:
	// crypto/rand.
	Entropy io.Reader
}

// ErrUnavailable is returned by Login when it cannot authenticate players at present.
var ErrUnavailable = errors.New("tokenhttp: logins cannot be checked at present")

// Handler returns a handler that answers a POST with a token. It panics with the name of
// the invalid field of config, as http.Handle does for a bad pattern.
//
// Answers: 200 with 2048 bytes; 403 login refused; 405 not a POST; 413 body too
// large; 500 the hook returned no client id or too much user data; 503 ErrUnavailable.
func Handler(config Config) http.Handler {
	if config.Login == nil {
		panic("tokenhttp: Config.Login is nil; give a function that authenticates the player")
	}
	config.MaxBody = cmp.Or(config.MaxBody, DefaultMaxBody)
	if config.Clock == nil {
		config.Clock = time.Now
	}
	h := &handler{config}
	if _, err := h.mint(1, nil); err != nil {
		panic("tokenhttp: Config cannot mint: " + err.Error())
	}
	return h
}

type handler struct{ config Config }

func (h *handler) mint(id entangle.ClientID, userData []byte) (token.Token, error) {
	return token.Mint(h.config.Key, token.Claims{
		ProtocolID: h.config.ProtocolID,
		ClientID:   id,
		Servers:    h.config.Servers,
		Timeout:    h.config.Timeout,
		Life:       h.config.Life,
		UserData:   userData,
		Now:        h.config.Clock(),
		Entropy:    h.config.Entropy,
	})
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, max(h.config.MaxBody, 0))
	id, userData, err := h.config.Login(r)
	if err != nil {
		refuse(w, statusOf(err))
		return
	}
	minted, err := h.mint(id, userData)
	if err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(token.Size))
	_, _ = w.Write(minted.Bytes()) // a client that has disconnected needs no token
}

func statusOf(err error) int {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrUnavailable):
		return http.StatusServiceUnavailable
	default:
		return http.StatusForbidden
	}
}

func refuse(w http.ResponseWriter, status int) {
	http.Error(w, http.StatusText(status), status)
}
