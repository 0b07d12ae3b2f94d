package token

import (
	"encoding/base64"
	"fmt"
)

// Token is a connect token as a client receives it: 2048 secret bytes in the format of a
// token. It is a small value that may be copied and compared. The zero Token is invalid;
// Mint and Parse make valid ones.
type Token struct {
	bytes string
}

// Parse checks that b is a token and returns it. The bytes are copied. The error
// is ErrInvalid.
func Parse(b []byte) (Token, error) {
	var p Public
	if err := p.parse(b); err != nil {
		return Token{}, err
	}
	return Token{bytes: string(b)}, nil
}

// IsZero reports whether the token was never set.
func (t Token) IsZero() bool { return t.bytes == "" }

// Bytes returns a copy of the token's 2048 bytes, or nil for the zero Token.
func (t Token) Bytes() []byte {
	if t.IsZero() {
		return nil
	}
	return []byte(t.bytes)
}

// Public returns the part of the token that its client can read. For the zero Token it returns
// ErrInvalid.
func (t Token) Public() (Public, error) {
	var p Public
	err := p.parse([]byte(t.bytes))
	return p, err
}

// String describes the token without its secrets: its servers and its expiry.
func (t Token) String() string {
	p, err := t.Public()
	if err != nil {
		return "token.Token(none)"
	}
	return fmt.Sprintf("token.Token(servers %v, expires %d, secrets hidden)", p.Servers, p.Expires)
}

// GoString hides the token's secrets from %#v.
func (t Token) GoString() string { return t.String() }

// MarshalText writes the token in base64, secrets included. The text may be sent over TLS, and must
// not be logged. The zero Token becomes empty text.
func (t Token) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, []byte(t.bytes)), nil
}

// UnmarshalText parses what MarshalText returns. For other text it returns ErrInvalid.
func (t *Token) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*t = Token{}
		return nil
	}
	if len(text) != base64.StdEncoding.EncodedLen(Size) {
		return ErrInvalid
	}
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return ErrInvalid
	}
	parsed, err := Parse(b)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}
