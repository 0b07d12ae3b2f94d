package session

// ServerFilter reports whether a datagram can be a packet of a client, according to its size and
// its unencrypted bytes. A transport can use it to drop other datagrams on arrival; HandleDatagram
// would drop them too. connected is true if the datagram comes from the address of a connected
// client: other addresses send only requests and responses.
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
