package endpoint

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// AddLocal adds a local player. No other client can connect with its id.
func (s *Server) AddLocal(l *Local) { s.locals = append(s.locals, l) }

// reserved reports whether an id is that of a local player.
func (s *Server) reserved(id entangle.ClientID) bool {
	return slices.ContainsFunc(s.locals, func(l *Local) bool { return l.id == id })
}

// localOf returns the connected local player with an id.
func (s *Server) localOf(id entangle.ClientID) *Local {
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
		l.view.beginFrame()
		if l.wanted && !l.open && s.Running() {
			l.connect()
			s.cfg.OnConnected(l.id, l.userData)
		}
		if err := l.receiveQueued(); err != nil && l.open {
			s.dead.Malformed++
			s.cfg.Log.Warn("the host's own player is disconnected for what it sent", "client", l.id, "error", err)
			s.disconnectLocal(l, ErrProtocolBroken)
		}
		if l.open && !l.joined && l.view.complete() {
			l.joined = true
			s.cfg.OnJoined(l.id)
		}
	}
}

// sendLocals queues the messages that local players sent in this frame.
func (s *Server) sendLocals(tick entangle.Tick) {
	for _, l := range s.locals {
		l.queueSent(tick)
	}
}

// queueResourceEvents queues the events of resources for local players.
func (s *Server) queueResourceEvents() {
	for _, l := range s.locals {
		if l.open {
			l.resources.observe(s.resources, l.id)
		}
	}
}

// carryLocals queues a message for the local players that it is for.
func (s *Server) carryLocals(msg *message.Outgoing) {
	for _, l := range s.locals {
		if l.open && msg.When >= l.since && s.cfg.Post.For(msg, l.id) {
			l.carry(msg, s.tick)
		}
	}
}

// Leave disconnects a local player or cancels its connection attempt.
func (s *Server) Leave(l *Local) {
	if l.open {
		s.disconnectLocal(l, ErrLeft)
	} else if l.wanted {
		l.disconnect(ErrLeft)
	}
}

func (s *Server) disconnectLocal(l *Local, why error) {
	l.disconnect(why)
	s.cfg.OnDisconnected(l.id, why)
}

// disconnectLocals disconnects all local players.
func (s *Server) disconnectLocals(why error) {
	for _, l := range s.locals {
		if l.open {
			s.disconnectLocal(l, why)
		}
	}
}
