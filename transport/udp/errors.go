package udp

import "errors"

// ErrNoUDP is what Listen and Dial return where UDP does not exist.
var ErrNoUDP = errors.New("udp: a browser has no UDP; connect over WebSocket or WebTransport instead")
