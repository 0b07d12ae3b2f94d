package channel

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func classConfigs() []Config {
	return []Config{
		{ID: 0, Mode: OrderedReliable, Class: Control},
		{ID: 1, Mode: UnorderedReliable, Class: Structure},
		{ID: 2, Mode: UnorderedReliable},
		{ID: 3, Mode: UnorderedUnreliable},
		{ID: 4, Mode: UnorderedUnreliable, KeepUnsent: true},
	}
}

// Each class keeps to its byte budget over any number of frames, except for a debt of one piece per
// frame, and uses its whole budget while it has data to send.
//
// Proves: P12
func TestClassesKeepToTheirBudgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMux(t, classConfigs()...)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var allowed, packed, most Bytes
		now := epoch
		for pkt := uint16(1); pkt < 100; pkt++ {
			now = now.Add(time.Second / 60)
			for range random.IntN(4) {
				id := ID(random.IntN(5))
				if m.Backlog(id) < 64<<10 {
					_, err := m.Send(id, make([]byte, random.IntN(3*FragmentSize)), random.Float32(), now)
					require.NoError(t, err)
				}
			}
			grant := Bytes{random.IntN(500), random.IntN(200), random.IntN(300)}
			m.SetBudget(grant)
			b, _ := m.AppendFrames(nil, fullRoom, pkt, now, testRTT)
			frames, err := parseAll(m, b)
			require.NoError(t, err)
			for c := range classCount {
				allowed[c] += grant[c]
				most[c] = max(0, most[c]) + grant[c]
			}
			for _, f := range frames {
				c := m.sender.byID[f.id].cfg.Class
				packed[c] += frameSize(&f)
				most[c] -= frameSize(&f)
			}
			for c := range classCount {
				require.LessOrEqual(t, packed[c], allowed[c]+MinRoom)
				require.Greater(t, most[c], -MinRoom)
			}
			m.DropUnsent(now)
			require.Zero(t, m.Pending()-reliablePending(m)-m.sender.byID[4].waiting-begun(m.sender.byID[3]))
			if random.IntN(3) > 0 {
				m.HandleAcked(pkt)
			}
		}
	})
}

func reliablePending(m *Mux) int {
	return m.sender.byID[0].waiting + m.sender.byID[1].waiting + m.sender.byID[2].waiting
}

func begun(ch *outChannel) (n int) {
	for seq := ch.queue.front; seq < ch.queue.back; seq++ {
		if msg := ch.queue.at(seq); msg != nil && msg.begun {
			n++
		}
	}
	return n
}

// All data for a peer that acknowledges nothing is resent, within the byte budget.
func TestResentPiecesCostBudget(t *testing.T) {
	m := newMux(t, Config{Mode: OrderedReliable})
	for range 50 {
		send(t, m, 0, longText(100), epoch)
	}
	now, bytes := epoch, 0
	for pkt := uint16(1); pkt <= 600; pkt++ {
		now = now.Add(time.Second / 60)
		m.SetBudget(Bytes{Messages: 60})
		b, _ := m.AppendFrames(nil, fullRoom, pkt, now, testRTT)
		bytes += len(b)
		m.HandleLost(pkt)
	}
	assert.NotZero(t, m.Stats().Resent)
	assert.LessOrEqual(t, bytes, 600*60+110)
	assert.GreaterOrEqual(t, bytes, 600*59)
}

func TestControlComesFirstThenStructure(t *testing.T) {
	m := newMux(t, classConfigs()...)
	sendPrio(t, m, 2, "message", 1000, epoch)
	send(t, m, 1, "structure", epoch)
	send(t, m, 0, "control", epoch)
	assert.Equal(t, []string{"control", "structure", "message"}, order(t, m, fullRoom, epoch))
}

func TestWantedIsTheSizeOfTheNextFrames(t *testing.T) {
	m := newMux(t, classConfigs()...)
	for id := range ID(5) {
		send(t, m, id, longText(100*int(id)+FragmentSize-200), epoch)
	}
	want := m.Wanted(epoch, testRTT)
	var got Bytes
	for _, p := range packets(m, 1, fullRoom, epoch) {
		frames, err := parseAll(m, p)
		require.NoError(t, err)
		for _, f := range frames {
			f.last = false
			got[m.sender.byID[f.id].cfg.Class] += frameSize(&f)
		}
	}
	assert.Equal(t, want, got)
	assert.Zero(t, m.Wanted(epoch, testRTT))
}

func TestUnsentCountsMessagesThatNeverLeft(t *testing.T) {
	m := newMux(t, classConfigs()...)
	send(t, m, 1, longText(2*FragmentSize+100), epoch)
	send(t, m, 3, longText(10), epoch)
	assert.Equal(t, 2*FragmentSize+110, m.UnsentAll())
	m.SetBudget(Bytes{Structure: 1})
	_, eliciting := m.AppendFrames(nil, fullRoom, 1, epoch, testRTT)
	require.True(t, eliciting)
	assert.Equal(t, FragmentSize+100, m.Unsent(1))
	m.DropUnsent(epoch)
	assert.Equal(t, FragmentSize+100, m.UnsentAll())
	m.SetBudget(Bytes{Structure: 5000})
	m.AppendFrames(nil, 5000, 2, epoch, testRTT)
	m.HandleLost(1)
	assert.Zero(t, m.UnsentAll(), "what is sent again was sent")
	assert.Zero(t, m.Unsent(MaxID))
}

// A message that waits for its channel's interval is not late.
func TestMessagesThatWaitForTheirIntervalAreKept(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedUnreliable, SendEvery: time.Second})
	send(t, m, 0, "first", epoch)
	require.Len(t, packets(m, 1, fullRoom, epoch), 1)
	later := epoch.Add(time.Second / 60)
	send(t, m, 0, "second", later)
	m.DropUnsent(later)
	assert.Equal(t, 1, m.Pending())
	m.DropUnsent(epoch.Add(time.Second))
	assert.Zero(t, m.Pending())
	assert.Equal(t, uint64(1), m.Stats().DroppedUnsent)
}
