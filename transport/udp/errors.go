package udp

import "errors"

// ErrNoUDP is returned by Listen and Dial on platforms without UDP.
var ErrNoUDP = errors.New("udp: a browser has no UDP; connect over WebSocket or WebTransport instead")
