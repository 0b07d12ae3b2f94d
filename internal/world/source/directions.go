package source

import (
	"github.com/entangle-ecs/entangle/internal/registry"
)

// ServerSends reports whether a server may send what has that direction.
func ServerSends(d registry.Direction) bool { return d != registry.ClientToServer }

// ClientSends reports whether a client may send what has that direction.
func ClientSends(d registry.Direction) bool { return d != registry.ServerToClient }
