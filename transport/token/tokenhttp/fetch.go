package tokenhttp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/entangle-ecs/entangle/transport/token"
)

// Credentials are sent to the server's Login hook. Both may be nil.
type Credentials struct {
	Header http.Header
	Body   []byte
}

// StatusError is returned when the server answered without a token.
type StatusError struct {
	// Code is the HTTP status: 403 for a refused login, and others as in Handler.
	Code int
}

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("tokenhttp: no token: status %d %s", e.Code, http.StatusText(e.Code))
}

// ErrInsecure is returned for an address that is neither https nor on this
// machine: a token is a secret, and so are the credentials.
var ErrInsecure = errors.New("tokenhttp: a token travels over TLS only; use an https address")

// Fetch posts the credentials to the address and returns the token of the response. A nil
// client is http.DefaultClient. It follows no redirects, which could send the credentials
// elsewhere.
//
// Errors: ErrInsecure, *StatusError, token.ErrInvalid, and errors of net/http.
func Fetch(ctx context.Context, client *http.Client, address string, with Credentials) (token.Token, error) {
	request, err := newRequest(ctx, address, with)
	if err != nil {
		return token.Token{}, err
	}
	response, err := withoutRedirects(client).Do(request)
	if err != nil {
		return token.Token{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return token.Token{}, &StatusError{response.StatusCode}
	}
	b, err := io.ReadAll(io.LimitReader(response.Body, token.Size+1))
	if err != nil {
		return token.Token{}, err
	}
	return token.Parse(b)
}

func newRequest(ctx context.Context, address string, with Credentials) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(with.Body))
	if err != nil {
		return nil, err
	}
	if !secure(request.URL) {
		return nil, ErrInsecure
	}
	if with.Header != nil {
		request.Header = with.Header.Clone()
	}
	return request, nil
}

// secure reports whether an address uses TLS or stays on this machine.
func secure(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

func withoutRedirects(client *http.Client) *http.Client {
	client = cmp.Or(client, http.DefaultClient)
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
