package session

import "github.com/entangle-ecs/entangle/transport/token"

// tokenID identifies a token by the authentication code of its sealed half.
type tokenID [token.TagSize]byte

// usage is the state of a token: pending at one address, then consumed.
type usage struct {
	from     Addr
	expires  uint64
	consumed bool
}

// history stores every token that was shown to the server until it expires. It has a fixed size and never drops an
// unexpired one for a new one: otherwise an attacker with many tokens could reuse an old one.
type history struct {
	used map[tokenID]usage
	size int
}

func newHistory(size int) history {
	return history{used: make(map[tokenID]usage, size), size: size}
}

// admit records the token's first use, or allows the same address to repeat it until the token is consumed.
func (h *history) admit(id tokenID, from Addr, expires uint64) Drop {
	known, ok := h.used[id]
	switch {
	case ok && known.from != from:
		return DropTokenOtherAddress
	case ok && known.consumed:
		return DropTokenConsumed
	case ok:
		return dropNone
	case len(h.used) >= h.size:
		return DropHistoryFull
	}
	h.used[id] = usage{from: from, expires: expires}
	return dropNone
}

// consume marks a token as used for a connection.
func (h *history) consume(id tokenID) {
	if known, ok := h.used[id]; ok {
		known.consumed = true
		h.used[id] = known
	}
}

// sweep removes tokens that have expired and are therefore refused anyway.
func (h *history) sweep(now uint64) {
	for id, known := range h.used {
		if known.expires <= now {
			delete(h.used, id)
		}
	}
}
