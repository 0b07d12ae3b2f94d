package plain

// ServerFilter reports whether a datagram can be a packet of a client, according to its size and
// its first bytes. A transport can use it to drop other datagrams on arrival; HandleDatagram would
// drop them too. connected is true if the datagram comes from the address of a connected client:
// other addresses send only hellos and answers.
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
