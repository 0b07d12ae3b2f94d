package systems

// Packets fills, seals and sends the packets of a frame, after its last tick (row O2 of
// docs/GUARANTEES.md).
//
// Server: endpoint.Server queues the messages and resources that the game has sent, decides how
// many bytes each client may have under the caps, and has goroutines fill and seal the packets of
// the clients. The bytes do not depend on the number of goroutines. A packet has urgent inputs and
// measurements of the clock first, then messages and structure by priority, then updates of the
// groups that are due for the client, the most urgent first (docs/STATES.md, "When values are
// sent"; rows P12, P13, R45). In frames that send no tick, new messages and updates wait.
// Acknowledgements, answers to pings, and what was queued before or is sent again still go.
//
// Client: endpoint.Client does the same with its messages and inputs. A client that is not
// connected yet sends in every frame.
//
// Host: messages and events for its player are kept for the next frame, and no packet is made.

// sendToClients sends every client the data that it lacks.
func (s *Server) sendToClients() {
	s.stopIfBroken(s.Engine.Send(s.Time.Tick, s.now))
}

// sendToServer sends the server the messages and inputs that wait.
func (c *Client) sendToServer() {
	if c.SendEvery > 1 && c.Engine.Open() && !c.sends() {
		c.Engine.Rest(c.now) // acknowledgements, and packets of the connection layer
		return
	}
	c.Engine.Send(c.Time.Tick, c.now)
}
