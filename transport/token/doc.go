// Package token makes and reads the connect tokens of netcode 1.02, with which a game's
// backend grants a client access to a game server.
//
// A backend that has authenticated a player calls Mint with the key that it shares with the
// game servers, and gives the Token to that player. The player's client shows the sealed
// half of it to the server, which opens it with Opener; no account data travels over the
// game connection, and the server asks no other service.
//
// A sealed token that was altered, or made with another key, protocol id or expiry, does
// not open. A parsed token encodes to the same bytes. No input makes the package panic or
// allocate more than the token's own size.
//
// The package does not remember tokens. The server that opens a token has to ensure that each token
// admits one client once.
//
// A token is a secret: anyone who has it can connect as that client, and can read and forge all
// packets of the connection. Hand it out over TLS only, never write it to a log, and keep its life
// short. String hides it; Bytes and MarshalText do not.
//
// Minting needs the servers' key. A client that mints its own token must hold that key,
// with which it can impersonate any client and read all connections: do that only in tests
// and among friends on a LAN, with a key made for that occasion.
//
// The package is pure: no clock, no socket, no state. Time and, optionally, randomness are
// arguments. HTTP lives in the package tokenhttp.
package token
