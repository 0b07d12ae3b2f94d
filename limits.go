package entangle

// Sizes of one datagram, in bytes, equal on every transport.
const (
	// MaxDatagram is a whole sealed packet. 1150 passes a 1280-byte IPv6 path
	// with room for UDP, IP, and a tunnel, and stays below what browsers let
	// through as a WebTransport datagram (1215).
	MaxDatagram = 1150

	// MaxPayload is what one packet carries after encryption is taken off:
	// MaxDatagram less the prefix byte, up to 8 sequence bytes and the 16-byte
	// authentication code.
	MaxPayload = MaxDatagram - 1 - 8 - 16
)

// DefaultTickRate is the number of fixed steps per second where a protocol
// names none.
const DefaultTickRate = 60
