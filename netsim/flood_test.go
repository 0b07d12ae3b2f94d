package netsim_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/token"
)

type buoy struct{ X, Y float32 }

// babble is a numbered message of a player to all others.
type babble struct{ Number uint32 }

type riddle struct{ Number uint32 }

type solution struct{ Number uint32 }

func floodProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "floods"})
	protocol.Component[buoy](p)
	protocol.Message[babble](p).Relay()
	protocol.Request[riddle, solution](p)
	return p
}

// floods is a simulation of honest players, who talk and see moving buoys, and of one flooder.
type floods struct {
	*netsim.Sim
	t      *testing.T
	key    token.Key
	rng    *rand.Rand
	came   map[entangle.ClientID][]uint32 // the lines that the server has received, by player
	buoys  []ecs.Entity
	where  generic.Map1[buoy]
	honest []*netsim.Peer
	sent   []uint32
	ears   []*uint64 // for each player, the number of lines that it has read
}

const floodFrame = time.Second / 60

func newFloods(t *testing.T, seed uint64) *floods {
	f := &floods{t: t, rng: rand.New(rand.NewPCG(seed, 0x666c)), came: map[entangle.ClientID][]uint32{}}
	link := conditioner.Config{
		Latency: time.Duration(f.rng.IntN(150)) * ms, Jitter: time.Duration(f.rng.IntN(30)) * ms, Loss: float64(f.rng.IntN(3)) / 10,
	}
	f.Sim = netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(link)})
	config := f.ServerConfig(floodProtocol())
	config.MaxBytesPerClient = []int{0, 0, 40_000}[f.rng.IntN(3)]
	f.key = config.Key
	server := newServer(t, config)
	server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		lines := plugin.NewReader[plugin.MessageReceived[babble]](w)
		plugin.HandleRequest(w, func(_ entangle.ClientID, q riddle) (solution, error) { return solution(q), nil })
		return func() {
			for _, m := range lines.Read() {
				f.came[m.From] = append(f.came[m.From], m.Message.Number)
			}
		}
	}))
	f.AddServer(server, server)
	f.where = generic.NewMap1[buoy](f.World())
	make := generic.NewMap2[buoy, components.Replicate](f.World())
	for n := range 40 {
		f.buoys = append(f.buoys, make.NewWith(&buoy{X: float32(n)}, &components.Replicate{Group: components.Group(n / 10)}))
	}
	f.sent = append(f.sent, 0, 0, 0)[:2+f.rng.IntN(2)]
	for n := range f.sent {
		f.join(n)
	}
	return f
}

func (f *floods) join(n int) {
	client := newClient(f.t, f.ClientConfig(floodProtocol()))
	received := new(uint64)
	client.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		now, say := generic.NewResource[components.Time](w), plugin.NewSender[babble](w)
		lines := plugin.NewReader[plugin.MessageReceived[babble]](w)
		return func() {
			*received += uint64(len(lines.Read()))
			if client.State() == plugin.Connected && now.Get().Tick%12 == 0 {
				require.NoError(f.t, say.Send(components.Everyone, babble{f.sent[n]}))
				f.sent[n]++
			}
		}
	}))
	f.ears = append(f.ears, received)
	f.honest = append(f.honest, f.AddClient(entangle.ClientID(n+1), client, client))
}

// flooder is a client with a valid token that writes its payloads by hand. It reconnects when it is
// disconnected.
type flooder struct {
	f     *floods
	sess  *session.Client
	conn  transport.Conn
	open  bool
	came  int // number of connections so far
	id    uint16
	next  [64]uint16
	kinds int // number of the kinds with which it floods, counted from the first
	kind  int
	until time.Time
}

const flooderID entangle.ClientID = 1000

func (o *flooder) enter() {
	f, now := o.f, o.f.Clock().Now().Add(time.Second) // the server accepts no token from the second in which it started
	id := flooderID                                   // this id is refused sooner when it reconnects
	if o.came > 0 && f.rng.IntN(2) == 0 {
		id += entangle.ClientID(o.came)
	}
	tok, err := plugin.MintToken(f.key, "floods", token.Claims{ClientID: id, Servers: f.Server().Addrs(), Now: now})
	require.NoError(f.t, err)
	conn, err := f.Network().Line().Dial(f.Server().Addrs()[0])
	require.NoError(f.t, err)
	*o = flooder{f: f, came: o.came, kinds: []int{relays, floodKinds}[f.rng.IntN(2)], sess: session.NewClient(session.ClientConfig{Token: tok}), conn: conn}
	require.NoError(f.t, o.sess.Connect(f.Clock().Now()))
}

// step reads arrived packets, acknowledges them, and sends the packets of the session.
func (o *flooder) step() {
	now := o.f.Clock().Now()
	var buf [2048]byte
	for {
		n, _, err := o.conn.Receive(buf[:])
		if err != nil {
			break
		}
		payload, ok := o.sess.HandleDatagram(buf[:n], now)
		if h, _, err := packet.ParseHeader(payload); ok && err == nil && h.Kind == packet.Data && h.ID > 33 {
			o.sendPayload(packet.AppendHeader(nil, packet.Header{Kind: packet.AckOnly, Tick: 1, Ack: h.ID, AckBits: 1<<32 - 1}))
		}
	}
	o.sess.Advance(now)
	for to, b, ok := o.sess.PollDatagram(); ok; to, b, ok = o.sess.PollDatagram() {
		_, _ = o.conn.Send([]transport.Datagram{{Addr: to, Data: b}})
	}
	switch connected := o.sess.State() == session.StateConnected; {
	case connected && !o.open:
		o.open, o.came = true, o.came+1
		hello := binary.LittleEndian.AppendUint64([]byte{1}, floodProtocol().Hash())
		o.sendMessage(byte(peer.Control), binary.LittleEndian.AppendUint64(hello, 0))
	case connected || o.sess.State().Connecting():
	default:
		_ = o.conn.Close()
		o.enter()
	}
}

func (o *flooder) sendPayload(payload []byte) {
	if b, err := o.sess.AppendPayload(nil, payload, o.f.Clock().Now()); err == nil {
		_, _ = o.conn.Send([]transport.Datagram{{Addr: o.sess.Server(), Data: b}})
	}
}

func (o *flooder) header() []byte {
	o.id++
	return packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: o.id, Tick: 1})
}

// sendMessage sends messages, as many to a packet as fit.
func (o *flooder) sendMessage(ch byte, bodies ...[]byte) {
	b := o.header()
	for _, body := range bodies {
		if len(b)+len(body)+5 > entangle.MaxPayload {
			o.sendPayload(b)
			b = o.header()
		}
		b = append(append(binary.LittleEndian.AppendUint16(append(b, ch), o.next[ch]), byte(len(body))), body...)
		o.next[ch]++
	}
	o.sendPayload(b)
}

// The kinds of flood. If packets of the kinds up to fragments are dropped, they leave no gap in a
// reliable channel. The other kinds exceed the window of a channel, which ends the connection
// before their cost does.
const (
	pause = iota
	packets
	fragments
	relays
	gap
	requests
	floodKinds
)

// act floods for a frame. It changes the kind of flood from time to time.
func (o *flooder) act() {
	rng, now := o.f.rng, o.f.Clock().Now()
	burst := 1
	if !now.Before(o.until) {
		burst = 1 + 9*rng.IntN(2) // as much as the whole saved quota, and more
		o.kind, o.until = rng.IntN(o.kinds), now.Add(time.Duration(200+rng.IntN(4000))*ms)
		if o.kind == gap {
			o.next[peer.FirstMessages]++ // a gap, which is closed at the end of this kind
		}
	}
	var w bits.Writer
	switch o.kind {
	case packets:
		for range burst * (100 + rng.IntN(200)) {
			o.sendPayload(o.header())
		}
	case fragments:
		for range burst * (20 + rng.IntN(40)) {
			b := o.header()
			for len(b)+8 <= entangle.MaxPayload {
				ch := byte(peer.FirstMessages + 4)
				o.next[ch]++
				b = append(binary.LittleEndian.AppendUint16(append(b, ch|0x40), o.next[ch]), 60, 60, 1, 0)
			}
			o.sendPayload(b)
		}
	case relays, gap:
		w.Uvarint(0)
		w.Bool(true)
		w.Uvarint(0)
		w.Bits((7-4)<<2|1, 10) // the number 7
		body := w.Finish()
		var all [][]byte
		for range 1 + rng.IntN(60) {
			all = append(all, body)
		}
		if o.kind == gap && rng.IntN(20) == 0 {
			at := o.next[peer.FirstMessages]
			o.next[peer.FirstMessages] -= min(at, 1)
		}
		o.sendMessage(byte(peer.FirstMessages), all...)
	case requests:
		w.Uvarint(0)
		w.Bits(rng.Uint64()>>32, 32)
		w.Bits((7-4)<<2|1, 10) // the number 7
		body := w.Finish()
		var all [][]byte
		for range 1 + rng.IntN(400) {
			all = append(all, body)
		}
		o.sendMessage(byte(peer.Requests), all...)
	}
}

// Honest players over any line play beside a client that floods with packets, fragments, relays,
// messages behind gaps and requests, in any rhythm, and that reconnects when it is
// disconnected. No frame costs more than the quotas allow. The honest players stay connected, pass
// the checks of Watch, receive every line in order, and have the server's world in the end.
//
// Proves: Z21
func TestRandomFloods(t *testing.T) {
	n, count := min(*seeds/6, 24), map[string]uint64{}
	if testing.Short() {
		n = min(n, 6)
	}
	for seed := *fromSeed; seed < *fromSeed+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f := newFloods(t, seed)
			f.Watch()
			f.Run(2 * time.Second)
			o := &flooder{f: f}
			o.enter()
			for range 30 * 60 {
				at := f.rng.IntN(len(f.buoys))
				f.where.Get(f.buoys[at]).Y++
				before := f.Server().Stats().Work
				f.Run(floodFrame)
				// At most two frames of the server lie in one such interval.
				const most = plugin.LeastDefaultWork
				const connect = 1024
				limit := 2 * (most + connect + (len(f.honest)+1)*(most/60+most/600+600))
				require.LessOrEqual(t, f.Server().Stats().Work-before, uint64(limit))
				o.step()
				if o.open {
					o.act()
				}
			}
			stats := f.Server().Stats()
			for _, d := range stats.Dropped {
				count[d.Reason] += d.Count
			}
			count["refused"] += stats.Messages.Refused
			count["relayed"] += stats.Messages.Relayed
			count["came back"] += uint64(max(o.came-1, 0))
			o.sess.Disconnect(f.Clock().Now())
			o.step()
			f.Run(8 * time.Second)
			for i, p := range f.honest {
				require.True(t, p.Connected(), p.Client().Err())
				came := f.came[p.ID()]
				require.Greater(t, len(came)+40, int(f.sent[i]))
				for n, number := range came {
					require.EqualValues(t, n, number, "a line is lost, or out of order")
				}
			}
			f.ExpectEqual()
		})
	}
	t.Log(count)
	if n < 6 || t.Failed() {
		return
	}
	for _, branch := range []string{
		"packet of a client that sends too much", "client that costs too much", "refused", "relayed", "came back",
	} {
		assert.NotZero(t, count[branch], branch)
	}
}
