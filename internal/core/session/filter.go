package session

// ServerFilter reports whether a datagram can be a packet of a client, by its size and its unencrypted bytes, for a
// transport that drops others on arrival. connected is true if it comes from the address of a connected client: others
// send requests and responses only. HandleDatagram would drop all that it refuses.
func ServerFilter(b []byte, connected bool) bool {
	if len(b) > 0 && b[0] == byte(kindRequest) {
		_, ok := readRequest(b)
		return ok
	}
	reads := serverReads
	if !connected {
		reads = setOf(kindResponse)
	}
	h, drop := readHeader(b, reads)
	return drop == dropNone && h.kind.sizeFits(len(b)-h.size-tagSize)
}
