// Package netcode is the connection layer for the internet: netcode 1.02 over any
// transports. A client needs a connect token, which whoever shares the server's key mints
// for it; all that follows is encrypted and cannot be replayed.
//
// A server's transports share one session, so a token admits once over all of them.
//
// plugin.Server.Netcode makes a Listener of a server's config; Server.Start and
// Client.Connect need nothing else of this package.
package netcode
