package source

import (
	"github.com/entangle-ecs/entangle/protocol"
)

// ServerSends reports whether a server may send what has that direction.
func ServerSends(d protocol.Direction) bool { return d != protocol.ClientToServer }

// ClientSends reports whether a client may send what has that direction.
func ClientSends(d protocol.Direction) bool { return d != protocol.ServerToClient }
