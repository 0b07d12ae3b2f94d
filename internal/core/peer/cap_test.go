package peer_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

const (
	narrowRate = 16_000
	narrowSpan = 100 * time.Millisecond
	sealed     = entangle.MaxDatagram - entangle.MaxPayload
)

// narrow is a connection with a cap. It measures the level of a bucket that leaks at the rate of
// the cap. The level must never exceed the bytes that may be sent at once.
type narrow struct {
	bucket     budget.Bucket
	fill, most float64
	last       time.Time
	bytes      int
	received   listener
}

func newNarrow() *narrow { return &narrow{bucket: budget.NewBucket(narrowRate, narrowSpan)} }

func (n *narrow) open(from *peer.Peer, now time.Time) {
	if n != nil {
		from.SetBudget(n.bucket.Level(now), now)
	}
}

func (n *narrow) pass(now time.Time, payload int) {
	if n == nil {
		return
	}
	n.bucket.Spend(payload + sealed)
	n.fill = max(0, n.fill-narrowRate*now.Sub(n.last).Seconds()) + float64(payload+sealed)
	n.most, n.last = max(n.most, n.fill), now
	n.bytes += payload + sealed
}

// atOnce is the largest number of bytes that may be sent at one time: the savings, the debt, and the
// packets that only acknowledge, which are sent in spite of the cap.
const atOnce = narrowRate/10 + peer.MaxDebt + 4*(packet.HeaderSize+sealed)

// listener counts the bytes of messages.
type listener struct{ bytes int }

func (l *listener) HandleMessage(_ channel.ID, body []byte, _ entangle.Tick, _ time.Time) error {
	l.bytes += len(body)
	return nil
}

// newNarrowPair returns a pair with a cap on the server.
func newNarrowPair(t testing.TB) *pair {
	p := newPair(t, 1, 1)
	p.line = newNarrow()
	var err error
	p.server, err = peer.New(peer.Config{Registry: registry(1), Client: 7, World: p.world, Inbox: &p.mail, Capped: true})
	require.NoError(t, err)
	p.client, err = peer.New(peer.Config{Registry: registry(1), Receiver: receiver.New(&p.shown, 1), Inbox: &p.line.received})
	require.NoError(t, err)
	return p
}

// talk sends more than the cap allows, as reliable and as unreliable messages.
func (p *pair) talk() {
	for range 10 {
		require.NoError(p.t, p.server.Send(peer.FirstMessages+4, bytes.Repeat([]byte{1}, 100), 0, p.now))
	}
	if p.server.Waiting() < 4000 {
		require.NoError(p.t, p.server.Send(peer.FirstMessages, bytes.Repeat([]byte{2}, 1000), 0, p.now))
	}
}

// However much is sent, changed, spawned and despawned, no more bytes are sent in any span of time
// than the cap, the savings and one packet allow, and over a long time the cap is used up. The same
// is true with packet loss, and if nothing is ever acknowledged.
//
// Proves: P12
func TestACapBindsInAnyTime(t *testing.T) {
	for _, loss := range []float64{0, 0.2, 1} {
		p := newNarrowPair(t)
		p.run(10)
		require.True(t, p.server.Open())
		p.loss = loss
		p.tickWith(func() { p.populate(0, 600, group.Place{}) })
		came := repl.Slot(600)
		for range 1200 {
			p.talk()
			p.tickWith(func() {
				p.populate(came, came+3, group.Place{})
				came += 3
				for s := came - 600; s < came-597; s++ {
					delete(p.source.values, s)
					p.world.Despawn(s)
				}
			})
		}
		assert.LessOrEqual(t, p.line.most, float64(atOnce), "loss %v", loss)
		if loss < 1 { // a peer that acknowledges nothing soon gets few packets
			assert.GreaterOrEqual(t, p.line.bytes, 20*narrowRate*95/100, "loss %v", loss)
		}
	}
}

// The game remains playable while a client joins and the game sends messages without end: groups
// that the client has are updated regularly, and the others arrive.
func TestPlayContinuesWhileAClientJoins(t *testing.T) {
	p := newNarrowPair(t)
	p.tickWith(func() { p.populate(0, 20, group.Place{}) })
	for p.holds(0, 20) < 20 {
		p.step()
	}
	p.tickWith(func() { p.populate(20, 2020, group.Place{}) })
	old := map[repl.Slot]int{}
	before := map[repl.Slot]uint32{}
	ticks := 0
	for ; p.holds(20, 2020) < 2000 && ticks < 3000; ticks++ {
		p.talk()
		p.step()
		require.Less(t, p.server.Waiting(), 9000, "what waits in the channels grows old")
		for s, v := range p.shown.values {
			switch {
			case v>>16 >= 20:
			case before[s] == v:
				old[s]++
				require.Less(t, old[s], 30+len(p.shown.values)/4, "an entity stood still, tick %d", p.tick)
			default:
				old[s], before[s] = 0, v
			}
		}
	}
	require.Less(t, ticks, 3000)
	assert.Greater(t, ticks, 60)
}

// If an update needs more bytes than its part of a frame, bytes are saved over several frames until
// it can be sent.
func TestWhatIsLargerThanAFramesPartArrives(t *testing.T) {
	p := newNarrowPair(t)
	p.tickWith(func() { p.populate(0, 150, group.Place{Name: 1}) })
	for p.holds(0, 150) < 150 {
		p.step()
	}
	news, last := 0, p.shown.values[1]
	for range 600 {
		p.talk()
		p.step()
		if v := p.shown.values[1]; v != last {
			news, last = news+1, v
		}
	}
	assert.Greater(t, news, 600*narrowRate/60/2/1100*8/10, "half of the line is for it")
}

// Messages and updates are larger than their parts of a frame. Excess bytes are subtracted and unused
// bytes are kept, so that over time the game's messages and the world get half of the cap each.
func TestLargePiecesTakeNoMoreThanTheirHalf(t *testing.T) {
	p := newNarrowPair(t)
	p.tickWith(func() { p.populate(0, 170, group.Place{Name: 1}) })
	for p.holds(0, 170) < 170 {
		p.step()
	}
	p.line.received.bytes = 0
	before := p.server.Stats()
	for range 1200 {
		if p.server.Waiting() < 4000 {
			require.NoError(t, p.server.Send(peer.FirstMessages, bytes.Repeat([]byte{2}, 500), 0, p.now))
		}
		p.step()
	}
	after := p.server.Stats()
	packets := int(after.PayloadsOut - before.PayloadsOut)
	all := int(after.BytesOut-before.BytesOut) - packets*packet.HeaderSize
	t.Logf("%d packets, %d bytes, %d of them messages", packets, all, p.line.received.bytes)
	assert.InEpsilon(t, all/2, p.line.received.bytes, 0.1)
}

// A debt of messages does not delay values, which get their half in every frame.
func TestADebtOfMessagesHoldsUpNoValues(t *testing.T) {
	p := newNarrowPair(t)
	p.tickWith(func() { p.populate(0, 4, group.Place{}) })
	for p.holds(0, 4) < 4 {
		p.step()
	}
	held := 0
	for range 600 {
		p.talk()
		before := p.shown.values[1]
		p.step()
		if p.shown.values[1] == before {
			held++
		}
	}
	assert.Less(t, held, 30)
}

// A debt is owed to other peers: if the cap is large enough for all peers, none waits because of
// its debt.
func TestADebtDelaysNoPeerIfThereIsRoom(t *testing.T) {
	p := newNarrowPair(t)
	p.run(10)
	frame := func(allow, message int) {
		p.now = p.now.Add(time.Second / 60)
		require.NoError(t, p.server.Send(peer.FirstMessages, make([]byte, message), 0, p.now))
		require.NoError(t, p.server.Begin(p.now))
		p.server.SetBudget(allow, p.now)
		for len(p.server.AppendPacket(nil, p.tick, p.now)) > 0 {
		}
	}
	frame(60, 540)
	require.Zero(t, p.server.Waiting(), "it goes into debt")
	frame(5000, 300)
	assert.Zero(t, p.server.Waiting())
}

// Even without a cap, a frame carries a limited amount of structure, so that a player who enters a
// large world does not delay the tick of all others.
func TestAFrameAddsSoMuchStructure(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(10)
	come := func() { p.populate(0, 10_000, group.Place{}) }
	for frames := 0; p.holds(0, 10_000) < 10_000; frames++ {
		require.Less(t, frames, 100)
		before := p.holds(0, 10_000)
		p.tickWith(come)
		come = nil
		assert.LessOrEqual(t, p.holds(0, 10_000)-before, 2048+140, "2,048 and a message")
	}
}

// If groups are large, the bytes of structure in a frame are bounded as well, not only the number
// of groups.
func TestAFrameAddsSoManyBytesOfStructure(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(10)
	p.commit(func() {
		for n := range repl.Slot(200) {
			p.populate(n*100, (n+1)*100, group.Place{Name: uint32(n) + 1})
		}
	})
	require.NoError(t, p.server.Begin(p.now))
	assert.Greater(t, p.server.Waiting(), 16<<10-1200, "there is enough for more")
	assert.Less(t, p.server.Waiting(), 16<<10+1200, "16 KiB and a message")
}

// commit runs a tick without sending it.
func (p *pair) commit(what func()) {
	p.now = p.now.Add(time.Second / 60)
	p.tick++
	p.world.Begin(p.tick)
	what()
	p.world.Commit()
}

// Under a cap, only little structure waits in the channel, so that later structure is sent in its
// latest state. Two frames' worth and a message wait, so that a frame with twice the last budget
// can use it.
func TestLittleStructureWaitsInTheChannelUnderACap(t *testing.T) {
	const allow, message = 3000, 1200
	p := newNarrowPair(t)
	p.run(10)
	p.commit(func() { p.populate(0, 5000, group.Place{}) })
	for range 5 {
		p.commit(func() {})
		require.NoError(t, p.server.Begin(p.now))
		p.server.SetBudget(allow, p.now)
		for len(p.server.AppendPacket(nil, p.tick, p.now)) > 0 {
		}
	}
	require.NoError(t, p.server.Begin(p.now))
	assert.GreaterOrEqual(t, p.server.Waiting(), 2*allow)
	assert.Less(t, p.server.Waiting(), 2*allow+message)
}

// A peer with a budget of zero still reports that it wants bytes for structure: otherwise a pool
// that divides bytes among many peers would never give it any.
func TestStructureIsWantedWithoutABudget(t *testing.T) {
	for _, allow := range []int{0, -500} {
		p := newNarrowPair(t)
		p.run(10)
		frame := func() {
			require.NoError(t, p.server.Begin(p.now))
			p.server.SetBudget(allow, p.now)
			for len(p.server.AppendPacket(nil, p.tick, p.now)) > 0 {
			}
		}
		frame()
		p.commit(func() { p.populate(0, 10, group.Place{}) })
		require.NoError(t, p.server.Begin(p.now))
		assert.Greater(t, p.server.Wanted(p.now), 50, "allowed %d", allow)
	}
}

func TestACapAllocatesNothing(t *testing.T) {
	p := newNarrowPair(t)
	p.tickWith(func() { p.populate(0, 200, group.Place{}) })
	for p.holds(0, 200) < 200 {
		p.step()
	}
	buf, body, one := make([]byte, 0, 2048), make([]byte, 100), make([]repl.Slot, 1)
	step := func() {
		p.now = p.now.Add(time.Second / 60)
		p.tick++
		p.world.Begin(p.tick)
		for s := range p.source.values {
			p.source.values[s]++
			one[0] = s
			p.world.Change(0, one)
		}
		p.world.Commit()
		for mode := range channel.ID(5) {
			if mode > 2 || p.server.Waiting() < 3000 {
				_ = p.server.Send(peer.FirstMessages+mode, body, float32(mode), p.now)
			}
		}
		_ = p.server.Begin(p.now)
		p.line.open(p.server, p.now)
		for b := p.server.AppendPacket(buf, p.tick, p.now); len(b) > 0; b = p.server.AppendPacket(buf, p.tick, p.now) {
			p.line.pass(p.now, len(b))
			if p.tick%20 != 0 { // packets of 5 % of the ticks are lost
				_ = p.client.HandlePayload(b, p.now)
			}
		}
		_ = p.client.Begin(p.now)
		for b := p.client.AppendPacket(buf, p.tick, p.now); len(b) > 0; b = p.client.AppendPacket(buf, p.tick, p.now) {
			_ = p.server.HandlePayload(b, p.now)
		}
	}
	for range 2000 {
		step()
	}
	assert.Zero(t, alloctest.Count(500, step))
	assert.NotZero(t, p.server.Stats().Channels.DroppedUnsent)
}
