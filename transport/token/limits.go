package token

import "time"

// Sizes in bytes, fixed by netcode 1.02.
const (
	// Size is the size of a whole token as a client receives it.
	Size = 2048

	// PrivateSize is the size of the sealed half, the only part that a server sees.
	PrivateSize = 1024

	// TagSize is the size of the authentication code at the end of the sealed half.
	TagSize = 16

	// NonceSize is the size of the nonce with which the private half is sealed.
	NonceSize = 24

	// MaxUserData is the size of the data that a backend passes to the server about a client.
	MaxUserData = 256

	// MaxServers is how many server addresses a token can list.
	MaxServers = 32
)

// Version is the text at the start of every token and request. Its terminating zero is sent, too.
const Version = "NETCODE 1.02\x00"

// DefaultLife is how long a token can be used after it was minted. It must be the same on the
// server (session.ServerConfig.TokenLife), and is short because a server refuses tokens that were
// minted before it was started: with 30 s, a client that fetches a token and connects at once
// always succeeds, and 30 s after its start a server knows that no older token is valid.
const DefaultLife = 30 * time.Second

// DefaultTimeout is how long either side waits for a packet before it gives the
// connection up: 50 lost keep-alives in a row.
const DefaultTimeout = 5 * time.Second

// maxSeconds bounds Timeout, which is sent as 32 bits.
const maxSeconds = 1<<31 - 1

// plainSize is the size of the private half without its authentication code.
const plainSize = PrivateSize - TagSize
