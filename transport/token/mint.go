package token

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"net/netip"
)

// Mint makes a token that servers with this key accept. An error names the invalid field
// of Claims, or reports that Entropy failed.
//
// The holder of the key can mint for any client: call Mint in a backend that has
// authenticated the player, and hand the token out over TLS. In a client it is for tests
// and a LAN only.
func Mint(key Key, c Claims) (Token, error) {
	if err := c.check(); err != nil {
		return Token{}, err
	}
	opener, err := NewOpener(key, c.ProtocolID)
	if err != nil {
		return Token{}, err
	}
	public, err := c.public()
	if err != nil {
		return Token{}, err
	}
	private := Private{
		ClientID:       c.ClientID,
		Timeout:        public.Timeout,
		Servers:        public.Servers,
		ClientToServer: public.ClientToServer,
		ServerToClient: public.ServerToClient,
	}
	copy(private.UserData[:], c.UserData)
	opener.Seal(public.Sealed[:0], public.Expires, public.Nonce, &private)
	return Token{bytes: string(public.Append(nil))}, nil
}

// public returns the token without its sealed half.
func (c *Claims) public() (Public, error) {
	created := uint64(c.Now.Unix())
	p := Public{
		ProtocolID: c.ProtocolID,
		Created:    created,
		Expires:    created + c.life(),
		Timeout:    c.timeout(),
		Servers:    make([]netip.AddrPort, 0, len(c.Servers)),
	}
	for _, server := range c.Servers {
		p.Servers = append(p.Servers, netip.AddrPortFrom(server.Addr().Unmap(), server.Port()))
	}
	entropy := cmp.Or(c.Entropy, rand.Reader)
	for _, secret := range [][]byte{p.Nonce[:], p.ClientToServer[:], p.ServerToClient[:]} {
		if _, err := io.ReadFull(entropy, secret); err != nil {
			return Public{}, fmt.Errorf("token: Claims.Entropy: %w", err)
		}
	}
	return p, nil
}
