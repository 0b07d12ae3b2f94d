package input

import (
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/mlange-42/arche/ecs"
)

// InputStats counts the fates of clients' inputs, in ticks unless stated otherwise.
type InputStats struct {
	InTime  uint64 // arrived before their tick ran
	Late    uint64 // arrived only after their tick had run; they never take effect
	Missing uint64 // ticks that ran without an input of their own, and repeated the previous one

	Refused uint64 // input streams of entities that the sender does not control, or no longer controls
	TooFar  uint64 // outside of the window of ticks that are kept
	Flooded uint64 // frames beyond what a client may send

	Intents        uint64 // entities that were spawned for an input, before its tick
	IntentsRefused uint64 // entities that the game's function has refused
	IntentsCrowded uint64 // shots that were not fired, because the client had too many entities of ticks to come

	// SeenClamped counts ticks for which a client claimed to have seen what it cannot have seen.
	SeenClamped uint64
}

// errInputFlood means that a client sends far more input packets than there are ticks.
var errInputFlood = errors.New("input: far more input packets than ticks")

// InputPlayer is one client's inputs on the server, and the stream that carries them.
type InputPlayer struct {
	inputs    *ReceivedInputs
	id        entangle.ClientID
	Peer      *peer.Peer
	meter     *timesync.Meter
	here      bool // the client is connected
	rateLimit input.RateLimit
	seen      input.SeenTimes
	firsts    firsts
	find      func(repl.Ref) ecs.Entity
	found     repl.ID         // the last id that find was called with
	waiting   []entangle.Tick // of the entities that its inputs have fired
	Work      uint64          // units of work that its frames cost
	Line      *relayLine      // relays the inputs of other players to this client
	rewound   playerView

	asked bool // at least one of its input streams had begun by the current tick
	had   bool // at least one of its input streams has an input for the current tick
}

// NewPlayer returns the inputs of a client, for the duration of its connection.
func (c *ReceivedInputs) NewPlayer(id entangle.ClientID, meter *timesync.Meter) *InputPlayer {
	p := &InputPlayer{inputs: c, id: id, meter: meter, rateLimit: input.NewRateLimit(c.rate), seen: input.NewSeenTimes(c.rate)}
	p.find = p.named
	return p
}

// Admit begins a connection.
func (c *ReceivedInputs) Admit(p *InputPlayer) {
	p.here = true
	c.players = append(c.players, p)
	c.of[p.id] = p
}

// Dismiss ends a connection. Its input streams end with the next tick.
func (c *ReceivedInputs) Dismiss(p *InputPlayer) {
	if !p.here {
		return
	}
	p.here = false
	c.players = slices.DeleteFunc(c.players, func(o *InputPlayer) bool { return o == p })
	delete(c.of, p.id)
}

// named returns the entity that the client refers to. It is the zero entity for one that was never
// sent to the client, whether or not it exists.
func (p *InputPlayer) named(ref repl.Ref) ecs.Entity {
	if !ref.Yours {
		return ecs.Entity{}
	}
	p.found = ref.ID
	e, _ := p.inputs.collector.Named(p.Peer, ref.ID)
	return e
}

// HandleFrame implements peer.Feed: it reads the inputs that the client sends.
func (p *InputPlayer) HandleFrame(tick entangle.Tick, body []byte, now time.Time) error {
	switch p.rateLimit.Take(now) {
	case input.Dropped:
		p.inputs.stats.Flooded++
		return nil
	case input.Flood:
		return errInputFlood
	}
	c := p.inputs
	c.frame.Open(body, tick, len(c.kinds), c.collector.Stride())
	p.Work += uint64(c.frame.Screens())/ticksPerUnit + uint64(len(body)*8-c.frame.Bits().RemainingBits())/bitsPerUnit
	for c.frame.Next() {
		p.handleStream(&c.frame)
	}
	if err := c.frame.Err(); err != nil {
		return err
	}
	limits := input.SeenLimits{Newest: c.tick, RTT: p.Peer.RTT(), TickRate: c.rate}
	if received := p.received(); received != nil {
		late := c.frame.LateFrames()
		for i := range late {
			limits.Bound(&late[i].Screen)
			received.LateFrame(&late[i])
		}
		received.LateFramesReported()
	}
	c.stats.SeenClamped += uint64(p.seen.Put(&c.frame, c.tick, limits))
	return nil
}

// Costs of clients' inputs, in units of work. A unit is about a tenth of a microsecond.
const (
	// ticksPerUnit is the number of ticks of an input stream that cost one unit, bitsPerUnit the
	// number of its bits that cost one more, and streamWork the additional cost of a stream.
	ticksPerUnit = 16
	bitsPerUnit  = 32
	streamWork   = 2
)

// handleStream handles one input stream of a frame. A stream that the sender may not write is read,
// too, and discarded: control changes hands while packets are in flight.
func (p *InputPlayer) handleStream(f *input.Frame) {
	c := p.inputs
	k := &c.kinds[f.Type()]
	unread := f.Bits().RemainingBits()
	e := k.codec.readHead(f.Bits(), p.find) // the entity itself is found last
	id := p.found
	oldest, newest := f.Range()
	stream := p.controlledStream(k, e)
	switch {
	case !input.InWindow(oldest, c.tick, c.rate) && !input.InWindow(newest, c.tick, c.rate):
		p.inputs.stats.TooFar += uint64(newest.Sub(oldest)) + 1
		f.Skip(k.codec)
	case stream == nil:
		p.inputs.stats.Refused++
		f.Skip(k.codec)
	default:
		received := f.Put(stream.reader)
		p.recordReceived(stream, received)
		c.intents.addArrived(stream, received, id)
	}
	read := unread - f.Bits().RemainingBits()
	p.Work += streamWork + uint64(newest.Sub(oldest)+1)/ticksPerUnit + uint64(read)/bitsPerUnit
}

// controlledStream returns the input stream of an entity, if the client controls it. The present
// component decides, which may be newer than the stream.
func (p *InputPlayer) controlledStream(k *clientKind, e ecs.Entity) *serverStream {
	stream := k.streams[e]
	if stream == nil || stream.player != p || !p.inputs.holds(k, stream) {
		return nil
	}
	return stream
}

// recordReceived records the ticks that arrived for the first time.
func (p *InputPlayer) recordReceived(stream *serverStream, b input.Received) {
	p.inputs.Relay.addReceived(&stream.passed, b)
	p.inputs.stats.TooFar += uint64(b.Far)
	next := p.inputs.tick + 1
	for left := p.firsts.markArrived(b.Newest, b.New|b.Late); left != 0; left &= left - 1 {
		tick := b.Newest - entangle.Tick(bits.TrailingZeros64(left))
		p.meter.InputReceived(tick, next)
		if tick.Before(next) {
			p.inputs.stats.Late++
		} else {
			p.inputs.stats.InTime++
		}
	}
}

// AppendFrame implements peer.Feed: it writes the relayed inputs of other players.
func (p *InputPlayer) AppendFrame(dst []byte, room int, _ uint16, tick entangle.Tick, _ time.Time) []byte {
	return p.Line.appendFrame(dst, room, tick)
}

// Urgent implements peer.Feed.
func (p *InputPlayer) Urgent(time.Time) bool { return p.Line.waits() }

// HandleAcked implements peer.Feed. It does nothing: relayed inputs are sent several
// times, whether or not they arrive.
func (p *InputPlayer) HandleAcked(uint16) {}

// HandleLost implements peer.Feed.
func (p *InputPlayer) HandleLost(uint16) {}

// recordState records the state of one of the client's input streams in the current tick: whether it has
// begun, and whether it had an input for this tick.
func (p *InputPlayer) recordState(begun, had bool) {
	p.asked = p.asked || begun
	p.had = p.had || had
}

// ran records that a tick ran.
func (p *InputPlayer) ran(tick entangle.Tick) {
	if p.asked {
		p.meter.TickRan(tick, p.had)
	}
	if p.asked && !p.had {
		p.inputs.stats.Missing++
	}
	p.asked, p.had = false, false
}

// firsts tracks which ticks have arrived: the newest, and the 63 before it.
type firsts struct {
	newest entangle.Tick
	known  uint64 // bit k: newest-k has arrived
}

// markArrived returns the ticks that arrive for the first time: bit k is newest-k.
func (f *firsts) markArrived(newest entangle.Tick, ticks uint64) uint64 {
	by := newest.Sub(f.newest)
	switch {
	case by >= 64 || by <= -64:
		f.newest, f.known = newest, 0
	case by > 0:
		f.newest, f.known = newest, f.known<<by
	default:
		ticks &^= f.known >> -by
		f.known |= ticks << -by
		return ticks
	}
	ticks &^= f.known
	f.known |= ticks
	return ticks
}

var (
	_ peer.Feed = (*InputPlayer)(nil)
	_ peer.Feed = (*inputUp)(nil)
)
