package netcode

import "github.com/entangle-ecs/entangle/internal/core/session"

// hints returns advice for the operator about refused tokens, by the cause. The client is not told
// the cause.
func hints(noKey bool) map[session.Drop]string {
	sealed := "give the server (ServerConfig.Key) and the backend that mints the tokens the same key; " +
		"tokens of Client.DevToken are for servers without a key"
	if noKey {
		sealed = "this server has no key, so it admits only tokens of Client.DevToken; " +
			"set ServerConfig.Key to the key that the tokens are minted with"
	}
	return map[session.Drop]string{
		session.DropProtocol:         "the token is for a game with another protocol.Config.Name",
		session.DropTokenBeforeStart: "the token was minted before this server started, or in the same second, and could have been used before; mint another",
		session.DropTokenNotYetValid: "compare the clocks of this machine and of the one that mints, and TokenLife of both",
		session.DropTokenForged:      sealed,
		session.DropClientConnected: "this client id is connected already; give each player an id of its own, or wait for the end of a connection " +
			"that broke off, which its timeout brings",
		session.DropTokenOtherAddress: "another address has used the token before: mint one for each attempt to connect, and share none",
		session.DropWrongServer:       "the token does not list this server's addresses; set ServerConfig.PublicAddrs to the addresses at which clients reach it",
	}
}
