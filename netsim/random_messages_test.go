package netsim_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// outgoing counts the messages that one end has sent over its present connection.
type outgoing struct {
	conn     uint32
	inOrder  uint32
	anyOrder uint32
	latest   uint32
	maybe    uint32
	shown    uint32 // of both types that are delivered when shown
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

	shownInOrder  uint32
	shownAnyOrder map[uint32]bool
	shows         func(tick entangle.Tick, of ecs.Entity) // checks that a client shows a tick; nil: it is no client
}

func (in *incoming) clearMessages() {
	*in = incoming{t: in.t, anyOrder: map[uint32]bool{}, maybe: map[uint32]bool{}, shownAnyOrder: map[uint32]bool{}, shows: in.shows}
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

func (in *incoming) takeShownInOrder(tick entangle.Tick, m shownInOrder) {
	in.same(m.Conn)
	require.Equal(in.t, in.shownInOrder, m.N, "a reliable ordered stream has a gap, or repeats")
	in.shownInOrder++
	if in.shows != nil {
		in.shows(tick, ecs.Entity{})
	}
}

func (in *incoming) takeShownAnyOrder(tick entangle.Tick, m shownAnyOrder) {
	in.same(m.Conn)
	require.False(in.t, in.shownAnyOrder[m.N], "a reliable message came twice")
	in.shownAnyOrder[m.N] = true
	if in.shows != nil {
		in.shows(tick, m.Of)
	}
}

// complete reports whether all reliable messages have arrived.
func (in *incoming) complete(out *outgoing) bool {
	return in.inOrder == out.inOrder && len(in.anyOrder) == int(out.anyOrder) &&
		in.shownInOrder == out.shown && len(in.shownAnyOrder) == int(out.shown)
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

	shownInOrder  plugin.Sender[shownInOrder]
	shownAnyOrder plugin.Sender[shownAnyOrder]
}

func newSenders(w *ecs.World) *senders {
	return &senders{
		plugin.NewSender[inOrder](w), plugin.NewSender[inAnyOrder](w), plugin.NewSender[latest](w), plugin.NewSender[maybe](w),
		plugin.NewSender[shownInOrder](w), plugin.NewSender[shownAnyOrder](w),
	}
}

// asPlayer returns the senders of a host's player.
func (s *senders) asPlayer() *senders {
	return &senders{
		s.inOrder.AsPlayer(), s.anyOrder.AsPlayer(), s.latest.AsPlayer(), s.maybe.AsPlayer(),
		s.shownInOrder.AsPlayer(), s.shownAnyOrder.AsPlayer(),
	}
}

// sendAll sends one message of each type over a connection. One of them is about an entity, or none.
func (s *senders) sendAll(t require.TestingT, to entangle.ClientID, out *outgoing, about ecs.Entity) {
	text := strings.Repeat("x", textOf(out.inOrder))
	require.NoError(t, sendTo(&s.inOrder, to, inOrder{out.conn, out.inOrder, text}))
	require.NoError(t, sendTo(&s.anyOrder, to, inAnyOrder{out.conn, out.anyOrder}))
	require.NoError(t, sendTo(&s.latest, to, latest{out.conn, out.latest}))
	require.NoError(t, sendTo(&s.maybe, to, maybe{out.conn, out.maybe}))
	require.NoError(t, sendTo(&s.shownInOrder, to, shownInOrder{out.conn, out.shown}))
	require.NoError(t, sendTo(&s.shownAnyOrder, to, shownAnyOrder{out.conn, out.shown, about}))
	out.inOrder, out.anyOrder, out.latest, out.maybe, out.shown = out.inOrder+1, out.anyOrder+1, out.latest+1, out.maybe+1, out.shown+1
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
	e, f := plugin.NewReader[plugin.MessageReceived[shownInOrder]](w), plugin.NewReader[plugin.MessageReceived[shownAnyOrder]](w)
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
		for _, m := range e.Read() {
			at(m.From, m.To).takeShownInOrder(m.Tick, m.Message)
		}
		for _, m := range f.Read() {
			at(m.From, m.To).takeShownAnyOrder(m.Tick, m.Message)
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
		judge := newShownJudge(m, w)
		m.in.shows = judge.shows
		return func() {
			judge.beginFrame()
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
				s.sendAll(m.t, entangle.Nobody, &m.out, ecs.Entity{})
			}
		}
	})
}

// shownJudge checks when a client delivers messages of the server that wait until their tick is shown: not before, and
// in the frame in which it is, if they have arrived.
type shownJudge struct {
	t            require.TestingT
	client       *plugin.Client
	app          *apps.App
	interpolated generic.Filter1[components.Interpolated]
	newest       *plugin.Confirmed[components.Interpolated] // nil: nothing is interpolated in this world
	early        uint64                                     // the count of messages that were delivered early, up to now
	any          bool                                       // an entity is interpolated
	skip         bool                                       // messages may be early in this frame
}

func newShownJudge(m *mailClient, w *ecs.World) *shownJudge {
	j := &shownJudge{t: m.t, client: m.client, app: apps.Of(w), interpolated: *generic.NewFilter1[components.Interpolated]()}
	for _, info := range registry.Of(j.app.Protocol).Components {
		if info.Type == reflect.TypeFor[components.Interpolated]() {
			newest := plugin.NewConfirmed[components.Interpolated](w)
			j.newest = &newest
		}
	}
	return j
}

// beginFrame prepares for the messages of a frame.
func (j *shownJudge) beginFrame() {
	w := j.client.World()
	q := j.interpolated.Query(w)
	j.any = q.Count() > 0
	q.Close()
	early := j.client.Stats().Messages.Early
	j.skip, j.early = early > j.early, early
	require.Zero(j.t, j.app.Client.OverdueMessages(), "a message waits although its tick is shown")
}

// shows requires that the client shows a tick: of an entity if a message refers to an interpolated one, else that of
// entities without an interval of their own, if any is interpolated.
func (j *shownJudge) shows(tick entangle.Tick, of ecs.Entity) {
	w, every := j.client.World(), j.app.Client.PacketInterval()
	switch {
	case j.skip || !j.any:
		return
	case !of.IsZero() && !w.Has(of, ecs.ComponentID[components.Interpolated](w)):
		return
	case !of.IsZero():
		newest, _, ok := j.newest.Get(of) // the interval counts at once, and the world has it later
		if every = int(newest.SendEvery); !ok {
			return // its interpolation is about to end
		}
	}
	shown, _ := j.client.InterpolationTime(every)
	require.Falsef(j.t, shown.Before(tick), "a message of tick %d came in tick %d of the interval %d", tick, shown, every)
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
		s, tick, replicated := newSenders(w), 0, generic.NewFilter1[components.Replicate]()
		var all []ecs.Entity
		return func() {
			if tick++; m.quiet || tick%3 != 0 {
				return
			}
			all = append(all[:0], ecs.Entity{})
			for q := replicated.Query(w); q.Next(); {
				all = append(all, q.Entity())
			}
			about := all[tick/3%len(all)]
			for _, id := range slices.Sorted(maps.Keys(m.out)) {
				if err := s.latest.SendTo(id, latest{m.out[id].conn, m.out[id].latest}); errors.Is(err, plugin.ErrNoSuchClient) {
					delete(m.out, id) // the client connected and disconnected in one frame; events of two kinds have no common order
					continue
				}
				m.out[id].latest++
				s.sendAll(m.t, id, m.out[id], about)
			}
			if m.host != nil && m.host.Player().State() == plugin.Connected {
				player := s.asPlayer()
				player.sendAll(m.t, entangle.Nobody, &m.player.out, ecs.Entity{})
			}
		}
	})
}
