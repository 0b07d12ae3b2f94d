package systems

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport"
)

// ServerConfig is what a server's engine is made of.
type ServerConfig struct {
	Registry peer.Registry
	Channels []channel.Config
	Post     *Post
	Log      *slog.Logger
	Workers  int // goroutines that assemble packets; at least one
	Caps     Caps

	// OnConnected is told when a client has connected and speaks our protocol;
	// OnJoined when it holds all that was there for it then; OnDisconnected when such
	// a one is gone.
	OnConnected    func(client entangle.ClientID, userData []byte)
	OnJoined       func(client entangle.ClientID)
	OnDisconnected func(client entangle.ClientID, reason string)
	// OnOverdue is told when groups wait for longer than their bound before a client is
	// sent them.
	OnOverdue func(Overdue)
}

// Server is the engine behind plugin.Server: its sockets, its session, and a peer
// for each client.
type Server struct {
	cfg       ServerConfig
	publisher *Publisher // nil until the world is known
	resources *Resources // likewise

	session  *session.Server
	links    []link
	clients  []*client // by slot of the session
	open     []*client // in the order in which they came
	payload  []byte
	assembly assembly
	dead     Dead
	traffic  Traffic
	refusals refusals
	tick     entangle.Tick // of the last Send

	all     budget.Bucket // of the cap on all clients
	share   budget.Share
	wants   []int   // by client, while the cap is divided
	dropped uint64  // messages under a cap, of clients that are gone
	teller  *teller // nil unless somebody listens
}

// link is one socket.
type link struct {
	conn transport.Conn
	out  outbox
	buf  []byte
	left []netip.AddrPort // clients that are gone, of which the conn is to be told
}

// admit tells the socket that a client is at this address, if it wants to know. One that
// is back before the socket was told that it went has never gone.
func (l *link) admit(addr netip.AddrPort) {
	if i := slices.Index(l.left, addr); i >= 0 {
		l.left = slices.Delete(l.left, i, i+1)
		return
	}
	if conn, ok := l.conn.(transport.Admitter); ok {
		conn.Admit(addr)
	}
}

// dismiss tells the socket which clients are gone, once all is sent that was for them.
func (l *link) dismiss() {
	if conn, ok := l.conn.(transport.Admitter); ok {
		for _, addr := range l.left {
			conn.Dismiss(addr)
		}
	}
	l.left = l.left[:0]
}

// client is one connection of the server.
type client struct {
	slot     int
	id       entangle.ClientID
	addr     netip.AddrPort
	userData []byte
	peer     *peer.Peer
	purse    purse
	mail     *Mailbox
	shelf    resourceLine
	out      outbox // of the frame under way
	said     []said // of the same, while somebody listens
	open     bool
	since    uint64 // the first letter that can be for it: those before are older than the connection
	joined   bool
	reason   string // why this side ends it
}

// updates returns what the client was sent of the world; nil for none, which is all
// clients.
func (c *client) updates() *sender.Peer {
	if c == nil {
		return nil
	}
	return c.peer.Updates()
}

// Dead counts the connections that a server ended for what they sent.
type Dead struct {
	Malformed uint64 // bytes that no peer of the protocol writes
	TooSlow   uint64 // reliable messages piled up
	Unequal   uint64 // protocols that differ
}

// NewServer returns an engine that is stopped.
func NewServer(cfg ServerConfig) *Server {
	return &Server{cfg: cfg, all: budget.NewBucket(cfg.Caps.All, CapSpan(cfg.Caps.TickRate))}
}

// Publish sets what is replicated to every client that connects from now on.
func (s *Server) Publish(p *Publisher) { s.publisher = p }

// PublishResources sets whose resources clients get that connect from now on, of the
// world of Publish.
func (s *Server) PublishResources(r *Resources) { s.resources = r }

// Running reports whether Start was called and Stop was not.
func (s *Server) Running() bool { return s.session != nil }

// Start takes over open sockets and a session for them.
func (s *Server) Start(sess *session.Server, conns []transport.Conn) {
	s.session, s.refusals = sess, refusals{}
	s.clients = make([]*client, sess.MaxClients())
	s.assembly.start(s.cfg.Workers)
	s.links = s.links[:0]
	for _, conn := range conns {
		s.links = append(s.links, link{conn: conn, buf: make([]byte, maxDatagram)})
	}
}

// stopped is the reason that clients get when the server stops.
const stopped = "the server stopped"

// Stop disconnects everyone and closes the sockets.
func (s *Server) Stop(now time.Time) error {
	if s.session == nil {
		return nil
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		s.bid(s.open[i], stopped, now)
		s.open[i].reason = stopped
	}
	s.session.Stop(now)
	s.events()
	err := s.flush()
	for i := range s.links {
		err = errors.Join(err, s.links[i].conn.Close())
	}
	s.session, s.links, s.clients, s.open = nil, nil, nil, nil
	return err
}

// maxReads bounds the datagrams that one socket is read for in a frame, so that a
// flood can't hold up the tick for ever; the rest waits in the socket's queue.
const maxReads = 1 << 14

// Receive reads all that has arrived.
func (s *Server) Receive(now time.Time) error {
	if s.session == nil {
		return nil
	}
	for i := range s.links {
		if err := s.read(uint8(i), now); err != nil || s.session == nil {
			return err
		}
	}
	s.session.Advance(now)
	s.refusals.tell(s.cfg.Log, s.session, now)
	s.events()
	s.reap(now)
	// A game's answer to a request may disconnect anybody, or stop the server.
	for slot := 0; slot < len(s.clients); slot++ {
		if c := s.clients[slot]; c != nil && c.open {
			s.welcome(c)
			s.mind(c, c.mail.Advance(now), now)
		}
	}
	return nil
}

func (s *Server) read(number uint8, now time.Time) error {
	l := &s.links[number]
	for range maxReads {
		n, from, err := l.conn.Receive(l.buf)
		if errors.Is(err, transport.ErrEmpty) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("systems: the socket at %v is broken: %w", l.conn.LocalAddr(), err)
		}
		s.traffic.in(n)
		slot, payload, ok := s.session.HandleDatagram(session.Addr{Link: number, AddrPort: from}, l.buf[:n], now)
		s.events()
		if ok && s.clients[slot] != nil {
			s.handle(s.clients[slot], payload, now)
		}
		if s.session == nil {
			return nil
		}
	}
	return nil
}

// events follows the session's clients.
func (s *Server) events() {
	for e, ok := s.session.PollEvent(); ok; e, ok = s.session.PollEvent() {
		switch e.Kind {
		case session.Connected:
			s.links[e.Addr.Link].admit(e.Addr.AddrPort)
			s.connected(&e)
		case session.Disconnected:
			s.links[e.Addr.Link].left = append(s.links[e.Addr.Link].left, e.Addr.AddrPort)
			s.disconnected(s.clients[e.Slot], e.Reason.String())
			s.clients[e.Slot] = nil
		}
	}
}

func (s *Server) connected(e *session.Event) {
	c := &client{slot: e.Slot, id: e.ClientID, addr: e.Addr.AddrPort, userData: append([]byte(nil), e.UserData...)}
	cfg := peer.Config{Registry: s.cfg.Registry, Client: e.ClientID, Channels: s.cfg.Channels, Capped: s.cfg.Caps.any()}
	if s.publisher != nil {
		cfg.World = s.publisher.World()
	}
	if s.resources != nil {
		c.shelf = s.resources.newLine()
		cfg.OnResource = c.shelf.delivered
	}
	c.mail = s.cfg.Post.Mailbox(e.ClientID, nil)
	cfg.Inbox = c.mail
	p, err := peer.New(cfg)
	if err != nil {
		panic(fmt.Sprintf("systems: channels that protocol.Err did not find fault with: %v", err))
	}
	c.peer, c.mail.peer = p, p
	c.purse.bucket = budget.NewBucket(s.cfg.Caps.PerClient, CapSpan(s.cfg.Caps.TickRate))
	s.clients[e.Slot] = c
	s.tap(c)
}

// disconnected lets go of a client. The reason that the peer gave counts before
// the session's.
func (s *Server) disconnected(c *client, reason string) {
	if c == nil {
		return
	}
	if told, ok := c.peer.Ended(); ok && told != "" {
		reason = told
	} else if c.reason != "" {
		reason = c.reason
	}
	if c.open && s.publisher != nil {
		s.publisher.Dismiss(c.peer.Updates())
	}
	c.peer.Close()
	s.dropped += c.peer.Stats().Channels.DroppedUnsent
	if !c.open {
		return
	}
	for i, other := range s.open {
		if other == c {
			s.open = append(s.open[:i], s.open[i+1:]...)
			break
		}
	}
	s.cfg.OnDisconnected(c.id, reason)
}

// welcome tells of a client that has got all that was there for it.
func (s *Server) welcome(c *client) {
	if !c.joined && c.peer.Given().Done() {
		c.joined = true
		s.cfg.OnJoined(c.id)
	}
}

func (s *Server) handle(c *client, payload []byte, now time.Time) {
	if s.mind(c, c.peer.HandlePayload(payload, now), now) {
		return
	}
	if s.payload = c.peer.AppendAck(s.payload[:0], s.tick, now); len(s.payload) > 0 {
		s.seal(c, s.payload, now)
	}
	if c.peer.Open() && !c.open {
		c.open, c.since = true, s.cfg.Post.seen
		s.open = append(s.open, c)
		if s.publisher != nil {
			s.publisher.Admit(c.id, c.peer.Updates())
		}
		s.cfg.OnConnected(c.id, c.userData)
	}
}

// mind disconnects a client for an error in what it sent.
func (s *Server) mind(c *client, err error, now time.Time) bool {
	if err == nil || s.session == nil || s.clients[c.slot] != c {
		return false // it is gone: a game's answer to it has disconnected it
	}
	s.dead.Malformed++
	s.cfg.Log.Warn("a client is disconnected for what it sent", "client", c.id, "error", err)
	s.end(c, brokeProtocol, now)
	return true
}

// brokeProtocol is the reason that a client gets for bytes that no peer writes.
const brokeProtocol = "it broke the protocol"

// reap ends the connections whose peers said goodbye or speak another protocol.
func (s *Server) reap(now time.Time) {
	for _, c := range s.clients {
		if c == nil {
			continue
		}
		if reason, ended := c.peer.Ended(); ended {
			if !c.open {
				s.dead.Unequal++
				s.cfg.Log.Warn("a client is refused", "client", c.id, "reason", reason)
			}
			s.end(c, reason, now)
		}
	}
}
