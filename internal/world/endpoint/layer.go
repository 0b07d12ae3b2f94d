package endpoint

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// layer is one connection layer of the server, and its clients.
type layer struct {
	connection.Server
	number   int       // in the order of Start
	clients  []*client // by slot of the layer
	refusals refusals
}

// ErrLayer is the error with which a server stops if a connection layer breaks the rules of package
// connection.
var ErrLayer = errors.New("endpoint: a connection layer breaks the rules of package connection; " +
	"run the suite of package connectiontest against it")

// maxEvents limits the events that a server handles of one layer in one frame. The rest wait for
// the next frame. Layers have limits of their own.
const maxEvents = 1 << 16

// receiveLayer handles the events that a layer has for this frame.
func (s *Server) receiveLayer(l *layer, now time.Time) error {
	for range maxEvents {
		e, err := l.Receive(now)
		if errors.Is(err, connection.ErrEmpty) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("endpoint: receiving: %w", err)
		}
		if err = s.handleEvent(l, &e, now); err != nil || !s.Running() {
			return err
		}
	}
	return nil
}

// handleEvent handles one event of a layer.
func (s *Server) handleEvent(l *layer, e *connection.Event, now time.Time) error {
	if e.Slot < 0 || e.Slot >= len(l.clients) {
		return fmt.Errorf("%w: %T reports %v of slot %d, and has slots 0 to %d", ErrLayer, l.Server, e.Kind, e.Slot, len(l.clients)-1)
	}
	c := l.clients[e.Slot]
	switch {
	case e.Kind == connection.Connected && c == nil:
		s.admit(s.newClient(l, e), now)
	case e.Kind == connection.Payload && c != nil:
		s.handle(c, e.Payload, now)
	case e.Kind == connection.Disconnected && c != nil:
		s.disconnected(c, errorOfLayer(e.Err, errorOfClient, true))
	default:
		return fmt.Errorf("%w: %T reports %v of slot %d, where %s is connected", ErrLayer, l.Server, e.Kind, e.Slot,
			map[bool]string{true: "nobody", false: "a client"}[c == nil])
	}
	return nil
}

// admit gives a client a peer index, or turns it away. The layer cannot decide that, because it
// knows neither the clients of other layers nor their number.
func (s *Server) admit(c *client, now time.Time) {
	s.endLeaving(c.id, now)
	if !s.Running() {
		return // the game stopped the server when a client disconnected
	}
	switch {
	case c.id == entangle.Nobody:
		s.turnAway(c, errNobody, &s.dead.Nobody, now)
	case s.reserved(c.id):
		s.turnAway(c, errReserved, &s.dead.Reserved, now)
	case s.indexes.of[c.id] != nil:
		s.turnAway(c, connection.ErrAlreadyConnected, &s.dead.Twice, now)
	case len(s.indexes.free) == 0:
		s.turnAway(c, connection.ErrServerFull, &s.dead.NoRoom, now)
	default:
		s.assignIndex(c)
	}
}

// endLeaving ends the connections of clients that have announced to their layer that they leave, if
// they prevent the admission of a new client.
func (s *Server) endLeaving(newcomer entangle.ClientID, now time.Time) {
	if c := s.indexes.of[newcomer]; c != nil && c.leaving() {
		s.disconnectClient(c, errHasLeft, now)
	}
	for index := 0; len(s.indexes.free) == 0 && index < len(s.clients); index++ {
		if c := s.clients[index]; c != nil && c.leaving() {
			s.disconnectClient(c, errHasLeft, now)
		}
	}
}

// errHasLeft is the error for a client that has left, if its goodbye did not arrive.
var errHasLeft = errorOfLayer(connection.ErrClosed, errorOfClient, true)

// leaving reports whether the client has announced to its layer that it leaves.
func (c *client) leaving() bool {
	l, ok := c.layer.Server.(connection.Leaver)
	return ok && l.Leaving(c.slot)
}

func (s *Server) turnAway(c *client, why error, count *uint64, now time.Time) {
	*count++
	s.cfg.Log.Info("a client is turned away", "client", c.id, "from", c.name, "reason", why)
	s.queueGoodbyes(c, why, now)
	c.layer.Disconnect(c.slot, goodbyeOf(why), now)
	c.peer.Close()
}

// flush passes all packets of the layers to the network.
func (s *Server) flush() error {
	var errs []error
	before := s.Traffic().BytesOut
	for _, l := range s.layers {
		if err := l.Flush(); err != nil {
			errs = append(errs, fmt.Errorf("endpoint: sending: %w", err))
		}
	}
	s.all.Spend(int(s.Traffic().BytesOut - before))
	return errors.Join(errs...)
}
