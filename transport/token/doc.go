// Package token makes and reads the connect tokens of netcode 1.02, with which a
// game's backend lets a client onto a game server.
//
// A backend that has checked who a player is calls Mint with the key it shares
// with the game servers, and hands the Token to that player. The player's client
// shows the sealed half of it to the server, which opens it with Opener; no
// account data travels over the game connection, and the server asks nobody.
//
// What it guarantees: a sealed token that was altered, made with another key,
// for another protocol id, or with another expiry, does not open. What was parsed
// encodes to the same bytes. No input makes it panic or allocate more than the
// token's own size.
//
// What it does not: it does not remember tokens. That a token admits one client,
// once, is kept by the server that opens it.
//
// A token is a secret: whoever holds it is that client, and can read and forge
// everything the connection carries. Hand it out over TLS only, never write it to
// a log, and keep its life short. String hides it; Bytes and MarshalText do not.
//
// Minting needs the servers' key. A client that mints its own token must hold
// that key, and with it can be anybody and read everybody: do that only in tests
// and among friends on a LAN, with a key made for that occasion.
//
// The package is pure: no clock, no socket, no state. Time and, on wish,
// randomness are arguments. HTTP lives in the package tokenhttp.
package token
