package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// House adds a local player. No other client can connect with its id.
func (s *Server) House(l *Local) { s.locals = append(s.locals, l) }

// reserved reports whether an id is that of a local player.
func (s *Server) reserved(id entangle.ClientID) bool {
	for _, l := range s.locals {
		if l.id == id {
			return true
		}
	}
	return false
}

// home returns the connected local player with an id.
func (s *Server) home(id entangle.ClientID) *Local {
	for _, l := range s.locals {
		if l.id == id && l.open {
			return l
		}
	}
	return nil
}

// receiveLocals delivers the messages and events that the last frame queued for local players, and
// connects those that are connecting.
func (s *Server) receiveLocals() {
	for _, l := range s.locals {
		l.vista.settle()
		if l.wanted && !l.open && s.Running() {
			l.enter()
			s.cfg.OnConnected(l.id, l.userData)
		}
		if err := l.receive(); err != nil && l.open {
			s.dead.Malformed++
			s.cfg.Log.Warn("the host's own player is disconnected for what it sent", "client", l.id, "error", err)
			s.partLocal(l, brokeProtocol)
		}
		if l.open && !l.joined && l.vista.complete() {
			l.joined = true
			s.cfg.OnJoined(l.id)
		}
	}
}

// sendLocals queues the messages that local players sent in this frame.
func (s *Server) sendLocals(tick entangle.Tick) {
	for _, l := range s.locals {
		l.send(tick)
	}
}

// shelveLocals queues the events of resources for local players.
func (s *Server) shelveLocals() {
	for _, l := range s.locals {
		if l.open {
			l.shelf.observe(s.resources, l.id)
		}
	}
}

// carryLocals queues a message for the local players that it is for.
func (s *Server) carryLocals(letter *message.Letter) {
	for _, l := range s.locals {
		if l.open && letter.When >= l.since && s.cfg.Post.For(letter, l.id) {
			l.carry(letter, s.tick)
		}
	}
}

// Leave disconnects a local player or cancels its connection attempt.
func (s *Server) Leave(l *Local, reason string) {
	if l.open {
		s.partLocal(l, reason)
	} else if l.wanted {
		l.leave(reason)
	}
}

func (s *Server) partLocal(l *Local, reason string) {
	l.leave(reason)
	s.cfg.OnDisconnected(l.id, reason)
}

// partLocals disconnects all local players.
func (s *Server) partLocals(reason string) {
	for _, l := range s.locals {
		if l.open {
			s.partLocal(l, reason)
		}
	}
}
