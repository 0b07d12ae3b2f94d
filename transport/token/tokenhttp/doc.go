// Package tokenhttp hands out connect tokens over HTTP: Handler for a backend,
// Fetch for a client. It is apart from the package token so that programs that get
// their tokens another way do not link net/http.
//
// Who a player is decides the game's Login hook; the rest is fixed: POST only, a
// bounded request, no caching, and answers that do not say why a login failed.
//
// Tokens are secret: serve the handler over TLS. Fetch refuses plain HTTP except
// to the same machine. Limits on how often one player or address may ask are the
// hook's, or a wrapping handler's, to set.
package tokenhttp
