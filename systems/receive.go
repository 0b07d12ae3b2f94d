package systems

// Receive applies everything that has arrived, before any tick of the frame runs (row O2 of
// docs/GUARANTEES.md).
//
// Server: endpoint.Server reads each connection layer until it is empty, or until a client has
// used up its quota of work (docs/STATES.md, "What a client may cost"; row Z21). It admits
// clients, raises events for their messages and requests, and stores their inputs for the next
// tick and the ticks after it. A client that breaks the protocol is disconnected. Then what the new
// inputs fire is spawned, before the tick in which they act (rows T10 and T11).
//
// Client: endpoint.Client reads its connection. Entities and components of the server go into
// the world, or into the confirmed state of predicted entities; all entities of a group are
// always as of the same server tick (docs/STATES.md, "Order of records"; row R24).
//
// Host: before the sockets are read, the host's own player gets the messages and events that the
// last frame kept for it.

// receiveFromClients reads the packets of clients. The next tick is the first in which their inputs can
// act.
func (s *Server) receiveFromClients() {
	s.stopIfBroken(s.Engine.Receive(s.Time.Tick+1, s.now))
	s.Inputs.SpawnIntents()
}

// receiveFromServer reads the packets of the server.
func (c *Client) receiveFromServer() {
	c.Engine.Receive(c.now)
}

// stopIfBroken stops the server if a socket broke.
func (s *Server) stopIfBroken(err error) {
	if err != nil {
		s.OnBroken(err)
	}
}
