// Package netcode is the connection layer for the internet: netcode 1.02 over any transport.
// A client needs a connect token, minted with the server's key; after that every packet is
// encrypted and cannot be replayed.
//
// All transports of a server share one session, so that a token admits its client only once, over
// whichever of them.
//
// plugin.Server.Netcode makes a Listener from a server's config; Server.Start and
// Client.Connect call it themselves, so games need nothing else of this package.
package netcode
