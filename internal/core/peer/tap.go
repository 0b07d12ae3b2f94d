package peer

// Tap has a function see what the peer is sent of the world, as it is written: messages
// of structure, and frames of values. The bytes are valid until it returns. It is for
// tests and tools; nil ends it.
func (p *Peer) Tap(tap func(updates bool, body []byte)) { p.tap = tap }

// tapped shows what was written.
func (p *Peer) tapped(updates bool, body []byte) {
	if p.tap != nil {
		p.tap(updates, body)
	}
}
