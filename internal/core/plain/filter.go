package plain

// ServerFilter reports whether a datagram can be a packet of a client, by its size and its
// first bytes, for a transport that drops others on arrival. connected is true if it comes
// from the address of a connected client: others send hellos and answers only.
// HandleDatagram would drop all that it refuses.
func ServerFilter(b []byte, connected bool) bool {
	if len(b) < idSize || len(b) > maxPacket {
		return false
	}
	switch kind(b[0]) {
	case kindHello:
		return len(b) == helloSize && string(b[1:1+len(version)]) == version
	case kindAnswer:
		return len(b) == answerSize && string(b[1:1+len(version)]) == version
	case kindKeepAlive:
		return connected && len(b) == idSize
	case kindPayload:
		return connected && len(b) > payloadHead
	case kindGoodbye:
		return connected
	default:
		return false
	}
}
