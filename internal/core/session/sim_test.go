package session

import (
	"crypto/cipher"
	"flag"
	"hash/maphash"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

const (
	protocolID = 0x1122334455667788
	frame      = 50 * time.Millisecond
)

var (
	serverKey  = token.Key{0: 1, 31: 1}
	serverAddr = netip.MustParseAddrPort("203.0.113.7:40000")
	epoch      = time.Unix(1_800_000_000, 0)

	seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0: one from the clock")
)

// chance returns a seeded random source. If the test fails, it prints the seed.
func chance(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with: go test ./internal/core/session -run '^%s$' -seed %d", t.Name(), seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// entropy is a deterministic replacement for crypto/rand.
type entropy struct{ *rand.Rand }

func (e entropy) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e.Uint32())
	}
	return len(b), nil
}

// recorder wraps the ciphers of the sessions. It fails the test if a key seals two different
// packets with the same nonce.
type recorder struct {
	t      testing.TB
	seed   maphash.Seed
	seals  map[uint64]uint64 // from the hash of key and nonce to the hash of the plaintext
	opened int
}

type recorded struct {
	cipher.AEAD
	key      string
	recorder *recorder
}

func (r *recorder) maker(key []byte) (cipher.AEAD, error) {
	aead, err := newAEAD(key)
	return recorded{aead, string(key), r}, err
}

func (c recorded) Seal(dst, nonce, plain, data []byte) []byte {
	use := maphash.String(c.recorder.seed, c.key+string(nonce))
	text := maphash.String(c.recorder.seed, string(data)+string(plain))
	if before, again := c.recorder.seals[use]; again && before != text {
		c.recorder.t.Fatal("a key and nonce were used for two plaintexts")
	}
	c.recorder.seals[use] = text
	return c.AEAD.Seal(dst, nonce, plain, data)
}

func (c recorded) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	c.recorder.opened++
	return c.AEAD.Open(dst, nonce, sealed, data)
}

// sim is a server and clients on a virtual clock, over links that lose packets.
type sim struct {
	t        testing.TB
	rand     *rand.Rand
	recorder *recorder
	now      time.Time
	loss     float64
	refused  int // number of datagrams that ServerFilter refused
	config   ServerConfig
	server   *Server
	peers    []*peer
	events   []Event
	received map[int][]string // payloads by slot
	nextPort uint16
}

// peer is a client and its end of the link.
type peer struct {
	*Client
	addr     Addr
	received []string
	dead     bool // its process was killed, so it neither sends nor receives
}

func newSim(t testing.TB, maxClients int) *sim {
	s := &sim{t: t, rand: chance(t), now: epoch, received: map[int][]string{}, nextPort: 1000}
	s.recorder = &recorder{t: t, seed: maphash.MakeSeed(), seals: map[uint64]uint64{}}
	s.config = ServerConfig{
		ProtocolID: protocolID, Key: serverKey, Addresses: []netip.AddrPort{serverAddr},
		MaxClients: maxClients, Entropy: entropy{s.rand},
	}
	s.start()
	return s
}

// start replaces the server by a new one that starts now.
func (s *sim) start() {
	s.config.Start = s.now
	var err error
	s.server, err = newServer(s.config, s.recorder.maker)
	require.NoError(s.t, err)
}

func (s *sim) claims(id entangle.ClientID) token.Claims {
	return token.Claims{
		ProtocolID: protocolID, ClientID: id, Servers: []netip.AddrPort{serverAddr},
		Now: s.now, Entropy: entropy{s.rand}, UserData: []byte("hello"),
	}
}

func (s *sim) mint(id entangle.ClientID) token.Token {
	minted, err := token.Mint(serverKey, s.claims(id))
	require.NoError(s.t, err)
	return minted
}

// addr returns an unused address.
func (s *sim) addr() Addr {
	s.nextPort++
	return Addr{0, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), s.nextPort)}
}

// join begins a connection from a new address.
func (s *sim) join(t token.Token) *peer { return s.joinFrom(s.addr(), t) }

func (s *sim) joinFrom(addr Addr, t token.Token) *peer {
	p := &peer{Client: newClient(ClientConfig{Token: t}, s.recorder.maker), addr: addr}
	_ = p.Connect(s.now)
	s.peers = append(s.peers, p)
	return p
}

// connect joins and runs until the client is connected.
func (s *sim) connect(id entangle.ClientID) *peer {
	p := s.join(s.mint(id))
	s.until(5*time.Second, func() bool { return p.State() == StateConnected })
	return p
}

func (s *sim) lost() bool { return s.loss > 0 && s.rand.Float64() < s.loss }

// run lets time pass.
func (s *sim) run(d time.Duration) {
	for end := s.now.Add(d); s.now.Before(end); {
		s.step()
	}
}

// until runs for at most d, and fails the test if the condition does not become true.
func (s *sim) until(d time.Duration, condition func() bool) {
	for end := s.now.Add(d); !condition(); s.step() {
		require.True(s.t, s.now.Before(end), "not within %v", d)
	}
}

// step runs one frame: the datagrams of both sides, then the clock.
func (s *sim) step() {
	for _, p := range s.peers {
		p.Advance(s.now)
		s.deliverToServer(p)
	}
	s.server.Advance(s.now)
	s.pollEvents()
	s.deliverToClients()
	s.now = s.now.Add(frame)
}

func (s *sim) deliverToServer(p *peer) {
	for {
		_, b, ok := p.PollDatagram()
		if !ok {
			return
		}
		if !p.dead && !s.lost() {
			s.toServer(p.addr, b)
		}
	}
}

// toServer passes a datagram to the server. A datagram that ServerFilter refuses must have no
// effect.
func (s *sim) toServer(from Addr, b []byte) {
	_, connected := s.server.At(from)
	fits, before := ServerFilter(b, connected), s.server.Stats()
	slot, payload, ok := s.server.HandleDatagram(from, append([]byte(nil), b...), s.now)
	if after := s.server.Stats(); !fits {
		s.refused++
		require.Equal(s.t, before.Drops.Total()+1, after.Drops.Total(), "a refused datagram is dropped as well")
		before.Received, before.Drops, after.Drops = after.Received, Drops{}, Drops{}
		require.Equal(s.t, before, after, "a refused datagram has no effect")
	}
	s.pollEvents()
	if ok {
		s.received[slot] = append(s.received[slot], string(payload))
	}
}

func (s *sim) pollEvents() {
	for {
		e, ok := s.server.PollEvent()
		if !ok {
			return
		}
		e.UserData = append([]byte(nil), e.UserData...)
		s.events = append(s.events, e)
	}
}

func (s *sim) deliverToClients() {
	for {
		to, b, ok := s.server.PollDatagram()
		if !ok {
			return
		}
		s.toClient(to, b)
	}
}

func (s *sim) toClient(to Addr, b []byte) {
	for _, p := range s.peers {
		if p.addr == to && !p.dead && !s.lost() {
			if payload, ok := p.HandleDatagram(append([]byte(nil), b...), s.now); ok {
				p.received = append(p.received, string(payload))
			}
		}
	}
}

// serverSends seals a payload as a driver does, and delivers it.
func (s *sim) serverSends(slot int, payload string) {
	to := s.server.Addr(slot)
	if s.server.KeepAliveFirst(slot) {
		b, err := s.server.AppendKeepAlive(nil, slot, s.now)
		require.NoError(s.t, err)
		s.toClient(to, b)
	}
	b, err := s.server.AppendPayload(nil, slot, []byte(payload), s.now)
	require.NoError(s.t, err)
	s.toClient(to, b)
}

func (s *sim) clientSends(p *peer, payload string) {
	b, err := p.AppendPayload(nil, []byte(payload), s.now)
	require.NoError(s.t, err)
	if !s.lost() {
		s.toServer(p.addr, b)
	}
}

// last returns the newest event of a kind.
func (s *sim) last(k EventKind) Event {
	for i := len(s.events) - 1; i >= 0; i-- {
		if s.events[i].Kind == k {
			return s.events[i]
		}
	}
	return Event{}
}

// Addr returns the address of the client of a connected slot, or the zero Addr for other slots.
func (t *slotTable) Addr(slot int) Addr {
	if !t.Connected(slot) {
		return Addr{}
	}
	return t.slots[slot].addr
}

// ClientID returns the client of a connected slot, or entangle.Nobody for other slots.
func (t *slotTable) ClientID(slot int) entangle.ClientID {
	if !t.Connected(slot) {
		return entangle.Nobody
	}
	return t.slots[slot].client
}

// Total returns the sum over all reasons.
func (d Drops) Total() (sum uint64) {
	for _, n := range d {
		sum += n
	}
	return sum
}
