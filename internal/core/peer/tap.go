package peer

// Tap sets a function that is called with the replication data for the peer when it is written:
// messages of structure, and frames of updates. The bytes are valid until it returns. It is for
// tests and tools; nil removes it.
func (p *Peer) Tap(tap func(updates bool, body []byte)) { p.tap = tap }

// tapData passes written data to the tap.
func (p *Peer) tapData(updates bool, body []byte) {
	if p.tap != nil {
		p.tap(updates, body)
	}
}
