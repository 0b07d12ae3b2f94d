package session

import "github.com/entangle-ecs/entangle/transport/token"

// tokenID identifies a token by the authentication code of its sealed part.
type tokenID [token.TagSize]byte

// usage is the state of a token: first it is pending at one address, then it is consumed.
type usage struct {
	from     Addr
	expires  uint64
	consumed bool
}

// history records each token that was sent to the server, until the token expires. Its size is
// fixed. It never drops an unexpired token to record a new one, because an attacker with many
// tokens could then reuse an old one.
type history struct {
	used map[tokenID]usage
	size int
}

func newHistory(size int) history {
	return history{used: make(map[tokenID]usage, size), size: size}
}

// admit records the first use of a token. Until the token is consumed, the same address may use it
// again.
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

// sweep removes expired tokens, which are refused for that reason.
func (h *history) sweep(now uint64) {
	for id, known := range h.used {
		if known.expires <= now {
			delete(h.used, id)
		}
	}
}
