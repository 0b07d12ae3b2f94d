// Package tokenhttp hands out connect tokens over HTTP: Handler for a backend, Fetch for a
// client. It is separate from package token so that programs that get their tokens another
// way do not link net/http.
//
// The game's Login hook authenticates the player; the rest is fixed: POST only, a bounded
// request, no caching, and answers that do not reveal why a login failed.
//
// Tokens are secret: serve the handler over TLS. Fetch refuses plain HTTP except to the
// same machine. Rate limits per player or address are up to the hook or a wrapping handler.
package tokenhttp
