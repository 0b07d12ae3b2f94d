package entangle

// Sizes of one datagram, in bytes. They are equal on every transport.
const (
	// MaxDatagram is the greatest size of a sealed packet. With the headers of UDP, IP and a
	// tunnel, 1150 bytes fit into a 1280-byte IPv6 path, and they are below the limit of browsers
	// for a WebTransport datagram (1215).
	MaxDatagram = 1150

	// MaxPayload is the greatest size of a packet's decrypted payload: MaxDatagram less the prefix
	// byte, up to 8 sequence bytes and the 16-byte authentication code.
	MaxPayload = MaxDatagram - 1 - 8 - 16
)

// DefaultTickRate is the number of ticks per second of a protocol that sets none.
const DefaultTickRate = 60
