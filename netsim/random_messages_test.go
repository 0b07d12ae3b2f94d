package netsim_test

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// outgoing counts the messages that one end has sent over its present connection.
type outgoing struct {
	conn     uint32
	inOrder  uint32
	anyOrder uint32
	latest   uint32
	maybe    uint32
}

// incoming checks the messages that one end receives over its present connection: what arrives in
// an ordered stream is an exact prefix of what was sent, no message arrives twice, and no message
// is from another connection.
type incoming struct {
	t        require.TestingT
	conn     uint32 // 0 until the first message
	inOrder  uint32
	anyOrder map[uint32]bool
	latest   uint32 // 1 + the index of the last message
	maybe    map[uint32]bool
}

func (in *incoming) clearMessages() {
	*in = incoming{t: in.t, anyOrder: map[uint32]bool{}, maybe: map[uint32]bool{}}
}

func (in *incoming) same(conn uint32) {
	if in.conn == 0 {
		in.conn = conn
	}
	if in.conn != conn {
		require.Failf(in.t, "a message of another connection", "of %d, this one is %d", conn, in.conn)
	}
}

func (in *incoming) takeInOrder(m inOrder) {
	in.same(m.Conn)
	require.Equal(in.t, in.inOrder, m.N, "a reliable ordered stream has a gap, or repeats")
	require.Len(in.t, m.Text, textOf(m.N))
	in.inOrder++
}

func (in *incoming) takeAnyOrder(m inAnyOrder) {
	in.same(m.Conn)
	require.False(in.t, in.anyOrder[m.N], "a reliable message came twice")
	in.anyOrder[m.N] = true
}

func (in *incoming) takeLatest(m latest) {
	in.same(m.Conn)
	require.GreaterOrEqual(in.t, m.N, in.latest, "a sequenced message repeats or is older than one before")
	in.latest = m.N + 1
}

func (in *incoming) takeMaybe(m maybe) {
	in.same(m.Conn)
	require.False(in.t, in.maybe[m.N], "an unreliable message came twice")
	in.maybe[m.N] = true
}

// complete reports whether all reliable messages have arrived.
func (in *incoming) complete(out *outgoing) bool {
	return in.inOrder == out.inOrder && len(in.anyOrder) == int(out.anyOrder)
}

// textOf returns the text of a message. Some texts need several packets.
func textOf(n uint32) int {
	if n%37 == 36 {
		return 900
	}
	return int(n % 5)
}

// senders are the senders of one end, one per message type.
type senders struct {
	inOrder  plugin.Sender[inOrder]
	anyOrder plugin.Sender[inAnyOrder]
	latest   plugin.Sender[latest]
	maybe    plugin.Sender[maybe]
}

func newSenders(w *ecs.World) *senders {
	return &senders{plugin.NewSender[inOrder](w), plugin.NewSender[inAnyOrder](w), plugin.NewSender[latest](w), plugin.NewSender[maybe](w)}
}

// asPlayer returns the senders of a host's player.
func (s *senders) asPlayer() *senders {
	return &senders{s.inOrder.AsPlayer(), s.anyOrder.AsPlayer(), s.latest.AsPlayer(), s.maybe.AsPlayer()}
}

// sendAll sends one message of each type over a connection.
func (s *senders) sendAll(t require.TestingT, to entangle.ClientID, out *outgoing) {
	text := strings.Repeat("x", textOf(out.inOrder))
	require.NoError(t, sendTo(&s.inOrder, to, inOrder{out.conn, out.inOrder, text}))
	require.NoError(t, sendTo(&s.anyOrder, to, inAnyOrder{out.conn, out.anyOrder}))
	require.NoError(t, sendTo(&s.latest, to, latest{out.conn, out.latest}))
	require.NoError(t, sendTo(&s.maybe, to, maybe{out.conn, out.maybe}))
	out.inOrder, out.anyOrder, out.latest, out.maybe = out.inOrder+1, out.anyOrder+1, out.latest+1, out.maybe+1
}

func sendTo[M any](s *plugin.Sender[M], to entangle.ClientID, m M) error {
	if to == entangle.Nobody {
		return s.Send(components.Server, m)
	}
	return s.SendTo(to, m)
}

// readers returns a system that passes the messages that arrive at one end to the right incoming.
func readers(w *ecs.World, at func(from, to entangle.ClientID) *incoming) func() {
	a, b := plugin.NewReader[plugin.MessageReceived[inOrder]](w), plugin.NewReader[plugin.MessageReceived[inAnyOrder]](w)
	c, d := plugin.NewReader[plugin.MessageReceived[latest]](w), plugin.NewReader[plugin.MessageReceived[maybe]](w)
	return func() {
		for _, m := range a.Read() {
			at(m.From, m.To).takeInOrder(m.Message)
		}
		for _, m := range b.Read() {
			at(m.From, m.To).takeAnyOrder(m.Message)
		}
		for _, m := range c.Read() {
			at(m.From, m.To).takeLatest(m.Message)
		}
		for _, m := range d.Read() {
			at(m.From, m.To).takeMaybe(m.Message)
		}
	}
}

// mailClient is a client's messages in both directions.
type mailClient struct {
	t      require.TestingT
	client *plugin.Client
	out    outgoing
	in     incoming
	quiet  bool
}

func (m *mailClient) system() plugin.System {
	m.in.t = m.t
	return plugin.Func(func(w *ecs.World) func() {
		came := plugin.NewReader[plugin.ClientConnected](w)
		read := readers(w, func(_, _ entangle.ClientID) *incoming { return &m.in })
		return func() {
			if len(came.Read()) > 0 {
				m.in.clearMessages()
				m.out = outgoing{conn: m.out.conn + 1}
			}
			read()
		}
	})
}

func (m *mailClient) sender() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		s, tick := newSenders(w), 0
		return func() {
			if tick++; !m.quiet && m.client.State() == plugin.Connected && tick%3 == 0 {
				s.sendAll(m.t, entangle.Nobody, &m.out)
			}
		}
	})
}

// mailServer is the server's messages in both directions, per client.
type mailServer struct {
	t     require.TestingT
	out   map[entangle.ClientID]*outgoing // of the connected clients
	in    map[entangle.ClientID]*incoming
	conns uint32
	quiet bool

	host   *plugin.Host // nil if the server is no host
	player struct {
		out outgoing
		in  incoming
	}
}

func (m *mailServer) system() plugin.System {
	m.out, m.in = map[entangle.ClientID]*outgoing{}, map[entangle.ClientID]*incoming{}
	m.player.in.t = m.t
	return plugin.Func(func(w *ecs.World) func() {
		came := plugin.NewReader[plugin.ClientConnected](w)
		went := plugin.NewReader[plugin.ClientDisconnected](w)
		read := readers(w, func(id, to entangle.ClientID) *incoming {
			if to != entangle.Nobody {
				require.Equal(m.t, entangle.ClientID(hostPlayer), to)
				return &m.player.in
			}
			require.NotNilf(m.t, m.in[id], "a message of client %d without an event of its connection", id)
			return m.in[id]
		})
		return func() {
			for _, e := range went.Read() {
				delete(m.out, e.Client)
			}
			for _, e := range came.Read() {
				m.conns++
				m.out[e.Client] = &outgoing{conn: m.conns}
				m.in[e.Client] = &incoming{t: m.t}
				m.in[e.Client].clearMessages()
				if e.Client == hostPlayer {
					m.player.in.clearMessages()
					m.player.out = outgoing{conn: m.player.out.conn + 1}
				}
			}
			read()
		}
	})
}

func (m *mailServer) sender() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		s, tick := newSenders(w), 0
		return func() {
			if tick++; m.quiet || tick%3 != 0 {
				return
			}
			for _, id := range slices.Sorted(maps.Keys(m.out)) {
				if err := s.latest.SendTo(id, latest{m.out[id].conn, m.out[id].latest}); errors.Is(err, plugin.ErrNoSuchClient) {
					delete(m.out, id) // the client connected and disconnected in one frame; events of two kinds have no common order
					continue
				}
				m.out[id].latest++
				s.sendAll(m.t, id, m.out[id])
			}
			if m.host != nil && m.host.Player().State() == plugin.Connected {
				player := s.asPlayer()
				player.sendAll(m.t, entangle.Nobody, &m.player.out)
			}
		}
	})
}
