package cases

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// sceneClient is both ends of one connection, and the packets in flight between them.
type sceneClient struct {
	slot    int
	from    session.Addr
	server  *peer.Peer // the server's end
	session *session.Client
	end     *peer.Peer
	copy    *receiveCopy
	tracker *packet.Tracker // in place of the client's end, for a deaf client
	shown   bool            // the collector has the client

	out      workload.Packets // sealed by the server in the last tick
	down, up workload.Line
	chance   *rand.Rand
	payload  []byte
	buf      [entangle.MaxDatagram]byte
}

// connect creates client number i and does the handshake.
func (s *scene) connect(i int) (*sceneClient, error) {
	way := s.cfg.rtt(i) - 1 // a packet that arrives between two ticks is handled by the second one
	c := &sceneClient{
		from:   session.Addr{AddrPort: netip.AddrPortFrom(netip.MustParseAddr("198.51.100.1"), uint16(1000+i))},
		down:   newSceneLine(way / 2),
		up:     newSceneLine(way - way/2),
		chance: rand.New(rand.NewPCG(uint64(i), 1)),
	}
	if err := s.shakeHands(c, workload.ClientID(i)); err != nil {
		return nil, err
	}
	var err error
	c.server, err = peer.New(peer.Config{
		Registry: message.NewRegistry(s.registry, true), Client: workload.ClientID(i), World: s.collector.World,
		Inbox: sceneInbox{},
	})
	if err != nil {
		return nil, err
	}
	cfg := peer.Config{Registry: message.NewRegistry(s.registry, false)}
	if !s.cfg.deaf {
		c.copy = newReceiveCopy(registry.Of(s.registry).Components)
		cfg.Receiver = c.copy.receiver
	}
	c.end, err = peer.New(cfg)
	return c, err
}

func (s *scene) shakeHands(c *sceneClient, id entangle.ClientID) error {
	minted, err := token.Mint(s.key, token.Claims{
		ProtocolID: protocol.ID(sceneName), ClientID: id, Servers: []netip.AddrPort{sceneAddr}, Now: s.now,
	})
	if err != nil {
		return err
	}
	c.session = session.NewClient(session.ClientConfig{Token: minted})
	if err := c.session.Connect(s.now); err != nil {
		return err
	}
	for range 4 {
		for _, b, ok := c.session.PollDatagram(); ok; _, b, ok = c.session.PollDatagram() {
			s.session.HandleDatagram(c.from, b, s.now)
		}
		for _, b, ok := s.session.PollDatagram(); ok; _, b, ok = s.session.PollDatagram() {
			c.session.HandleDatagram(b, s.now)
		}
		s.session.PollEvent()
	}
	slot, ok := s.session.Slot(id)
	if !ok || c.session.State() != session.StateConnected {
		return fmt.Errorf("client %d can't connect: %v", id, c.session.State())
	}
	c.slot = slot
	return nil
}

// receiveAll puts the packets of the last tick in flight, and runs a frame of each client.
func (s *scene) receiveAll() {
	for _, c := range s.clients {
		s.runClientFrame(c)
	}
}

// hear passes the clients' packets that are due to the server.
func (s *scene) hear() {
	for _, c := range s.clients {
		arrived := c.up.Due(s.tick)
		for i := range arrived.Ends {
			if c.lost(s.cfg.loss) {
				continue
			}
			if _, payload, ok := s.session.HandleDatagram(c.from, arrived.Packet(i), s.now); ok {
				s.recordError(c.server.HandlePayload(payload, s.now))
			}
		}
	}
}

// runClientFrame runs a client's frame. The client answers at the end of the frame, and earlier if
// so many packets have arrived that their ids would leave the acknowledgement window.
func (s *scene) runClientFrame(c *sceneClient) {
	c.down.Put(s.tick, &c.out)
	c.up.Clear(s.tick)
	s.recordError(c.beginPacket(s))
	n := 0
	for b := range c.down.Due(s.tick).Each {
		if c.lost(s.cfg.loss) {
			continue
		}
		payload, ok := c.session.HandleDatagram(append(c.buf[:0], b...), s.now)
		if !ok {
			s.recordError(fmt.Errorf("a packet of tick %d does not open", s.tick))
			continue
		}
		s.recordError(c.handle(s, payload))
		if n++; n%packet.AckEvery == 0 {
			s.answer(c)
		}
	}
	s.answer(c)
}

func (c *sceneClient) lost(share float64) bool { return share > 0 && c.chance.Float64() < share }

func (c *sceneClient) beginPacket(s *scene) error {
	if c.tracker != nil {
		return nil
	}
	if s.cfg.deaf && c.server.Open() {
		c.tracker = packet.NewTracker(packet.Config{AckDelay: -1})
		return nil
	}
	if c.end.Open() {
		s.recordError(c.end.Send(sceneInput, []byte{1}, 0, s.now))
	}
	return c.end.Begin(s.now)
}

// sceneInput is the channel of the messages that players send in every tick. The acknowledgements
// of all received packets travel with them.
const sceneInput = peer.FirstMessages + channel.ID(channel.UnorderedUnreliable)

// sceneInbox receives the players' messages, and ignores them.
type sceneInbox struct{}

func (sceneInbox) HandleMessage(channel.ID, []byte, entangle.Tick, time.Time) error { return nil }

func (c *sceneClient) handle(s *scene, payload []byte) error {
	if c.tracker == nil {
		return c.end.HandlePayload(payload, s.now)
	}
	h, _, err := packet.ParseHeader(payload)
	if err == nil {
		h.Ack, h.AckBits = 0, 0 // what the end that it replaces has sent
		_, err = c.tracker.HandleHeader(h, s.now)
	}
	return err
}

// answer sends the pending packets of a client.
func (s *scene) answer(c *sceneClient) {
	for {
		c.payload = c.appendPacket(s)
		if len(c.payload) == 0 {
			return
		}
		b, err := c.session.AppendPayload(c.buf[:0], c.payload, s.now)
		s.recordError(err)
		c.up.Add(s.tick, b)
	}
}

func (c *sceneClient) appendPacket(s *scene) []byte {
	if c.tracker == nil {
		return c.end.AppendPacket(c.payload[:0], s.tick, s.now)
	}
	if !c.tracker.AckDue(s.now) {
		return c.payload[:0]
	}
	return packet.AppendHeader(c.payload[:0], c.tracker.Next(s.now, s.tick, packet.AckOnly))
}

func newSceneLine(ticks int) workload.Line { return make(workload.Line, ticks+1) }
