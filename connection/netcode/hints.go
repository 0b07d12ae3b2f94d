package netcode

import "github.com/entangle-ecs/entangle/internal/core/session"

// hints say what an operator checks when a token is refused, which nobody tells the client.
func hints(noKey bool) map[session.Drop]string {
	sealed := "give the server (ServerConfig.Key) and whoever mints the tokens the same key; " +
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
		session.DropWrongServer:      "the token lists other addresses than this server's; set ServerConfig.PublicAddrs to what the world calls it by",
	}
}
