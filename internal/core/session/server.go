package session

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Server accepts clients and keeps their connections. See the package documentation for the order of calls.
type Server struct {
	config  ServerConfig
	own     ownAddresses
	opener  *token.Opener
	maker   aeadMaker
	stopped bool

	now       time.Time // of the last call
	wall      uint64    // the latest second ever seen, because clocks may be set back
	startWall uint64    // tokens of an earlier second are refused
	swept     time.Time

	slots    []slot
	free     []int32                     // free slots, smallest last
	clients  int                         // number of connected clients
	leaving  int                         // number of clients in slotLeaving
	byAddr   map[Addr]int32              // connected and leaving clients
	byClient map[entangle.ClientID]int32 // connected clients

	pending    pendingTable
	history    history
	challenger challenger
	global     uint64 // next sequence of packets without a slot

	events    ring[Event]
	replies   ring[reply]
	farewells ring[farewell]
	due       []int32 // slots with a keep-alive due
	out       [maxReply]byte
	body      [answerSize]byte
	answer    answer

	stats Stats
}

// The sequences of one key are divided among the servers that a token lists: a client that gets no answer from one of them
// tries the next with the same keys.
const (
	// globals is the half of the sequences that slots never use, for challenges and denials.
	globals = 1 << 63

	// slotSpan is how many sequences a slot may use: 34 years of 1,000 packets a second. The first
	// server of a token has the smallest ones, which take the fewest bytes.
	slotSpan = 1 << 40
)

// firstGlobal returns where a server's challenges and denials begin: at random in the lower half of globals, so that two
// servers hardly ever overlap, and none runs out.
func firstGlobal(random uint64) uint64 { return globals | random>>2 }

// firstOfSlot returns the first sequence for a client with a token that lists the server at place.
func firstOfSlot(place int) uint64 { return uint64(place) * slotSpan }

// NewServer returns a server without clients. An error names the invalid field of the config, or reports that Entropy failed.
func NewServer(config ServerConfig) (*Server, error) { return newServer(config, newAEAD) }

func newServer(config ServerConfig, maker aeadMaker) (*Server, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	opener, err := token.NewOpener(config.Key, config.ProtocolID)
	if err != nil {
		return nil, err
	}
	var key token.Key
	var global [8]byte
	for _, secret := range [][]byte{key[:], global[:]} {
		if _, err = io.ReadFull(config.Entropy, secret); err != nil {
			return nil, fmt.Errorf("session: ServerConfig.Entropy: %w", err)
		}
	}
	challenger, err := newChallenger(key, maker)
	if err != nil {
		return nil, err
	}
	s := &Server{config: config, own: config.Addresses, opener: opener, maker: maker, challenger: challenger}
	s.global = firstGlobal(binary.LittleEndian.Uint64(global[:]))
	s.makeTables()
	s.setStart(config.Start)
	return s, nil
}

func (s *Server) makeTables() {
	n := s.config.MaxClients
	s.slots = make([]slot, n)
	s.free = make([]int32, 0, n)
	for i := n - 1; i >= 0; i-- {
		s.free = append(s.free, int32(i))
	}
	s.byAddr = make(map[Addr]int32, n)
	s.byClient = make(map[entangle.ClientID]int32, n)
	s.pending = newPendingTable(s.config.Pending)
	s.history = newHistory(s.config.History)
	s.events = newRing[Event](2 * n) // a slot is reused only after its end was polled
	s.replies = newRing[reply](replyQueue)
	s.farewells = newRing[farewell](2 * n)
	s.due = make([]int32, 0, n)
}

// setStart rounds up: a token of the second in which the server was started may have been used before its restart.
func (s *Server) setStart(start time.Time) {
	s.now, s.swept = start, start
	s.wall = uint64(start.Unix())
	s.startWall = uint64(token.NextSecond(start).Unix())
}

// setNow sets the time to the caller's.
func (s *Server) setNow(now time.Time) {
	s.now = now
	s.wall = max(s.wall, uint64(max(now.Unix(), 0)))
}

// MaxClients returns the number of slots.
func (s *Server) MaxClients() int { return len(s.slots) }

// Clients returns the number of connected clients.
func (s *Server) Clients() int { return s.clients }

// Stopped reports whether Stop was called. A stopped server cannot be restarted: create a new one.
func (s *Server) Stopped() bool { return s.stopped }

// Connected reports whether the slot belongs to a connected client. It is false for a slot out of range.
func (s *Server) Connected(slot int) bool {
	return slot >= 0 && slot < len(s.slots) && s.slots[slot].state == slotConnected
}

// Addr returns the address of the client of a connected slot. Zero for other slots.
func (s *Server) Addr(slot int) Addr {
	if !s.Connected(slot) {
		return Addr{}
	}
	return s.slots[slot].addr
}

// ClientID returns the client of a connected slot, entangle.Nobody for other slots.
func (s *Server) ClientID(slot int) entangle.ClientID {
	if !s.Connected(slot) {
		return entangle.Nobody
	}
	return s.slots[slot].client
}

// Slot returns the slot of a connected client by its id.
func (s *Server) Slot(client entangle.ClientID) (slot int, ok bool) {
	at, ok := s.byClient[client]
	return int(at), ok
}

// At returns the slot of a connected or leaving client by its address.
func (s *Server) At(addr Addr) (slot int, ok bool) {
	at, ok := s.byAddr[addr]
	return int(at), ok
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	stats := s.stats
	for i := range s.slots {
		stats.Sealed += s.slots[i].sealed
	}
	stats.Pending, stats.Tokens = len(s.pending.byAddr), len(s.history.used)
	return stats
}

func (s *Server) drop(d Drop) { s.stats.Drops[d]++ }
