package cases

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// TestCodesByHandAreTheOnesOfTheCodec checks that the limit of the scenes writes the bits that the
// case encode compares with those of the compiled plan.
func TestCodesByHandAreTheOnesOfTheCodec(t *testing.T) {
	var w bits.Writer
	for i := range workload.ScenePoses {
		w.Reset(nil)
		encodeByHand(&w, &workload.ScenePoses[i])
		code := limits.CodeOf(&workload.ScenePoses[i])
		require.Equal(t, w.Finish(), limits.AppendCode(nil, &code), "pose %d", i)
	}
}

// TestScenesCompareEveryClient checks that a client with a wrong replica fails the case, and that a
// correct one does not, even with packet loss.
func TestScenesCompareEveryClient(t *testing.T) {
	s, l, err := newScenePair(sceneConfig{entities: 300, clients: 3, percent: 10, rtt: spreadTicks, loss: 0.2})
	require.NoError(t, err)
	for range 20 {
		s.before()
		l.Move(10)
		s.runServerTick()
		l.Send()
	}
	require.NoError(t, s.verifyClients(l, nil))
	pose := l.Pose(299)
	pose.Pos[1] += 0.02
	l.Set(299, &pose)
	assert.ErrorContains(t, s.verifyClients(l, nil), "client 0")
}

// TestScenesWithViews checks that each client has exactly the entities that it is shown.
func TestScenesWithViews(t *testing.T) {
	sees := func(client, entity int) bool { return entity%3 != client }
	s, l, err := newScenePair(sceneConfig{entities: 300, clients: 3, percent: 10, rtt: spreadTicks, loss: 0.2, sees: sees})
	require.NoError(t, err)
	require.NoError(t, s.verifyClients(l, sees))
	assert.ErrorContains(t, s.verifyClients(l, nil), "its copy of 200 entities")
}

// TestPacketsComeBackAfterTheRoundTrip checks that packets are acknowledged exactly one round trip
// after they were sent, in ticks.
func TestPacketsComeBackAfterTheRoundTrip(t *testing.T) {
	for _, rtt := range []int{1, 2, 6, 12} {
		s, err := newScene(sceneConfig{entities: 1, clients: 1, percent: 100, rtt: func(int) int { return rtt }})
		require.NoError(t, err)
		s.before()
		s.runServerTick()
		ticks := 0
		for ; !s.settled(); ticks++ {
			s.between(0)
			if !s.settled() {
				s.runServerTick()
			}
		}
		assert.Equal(t, rtt, ticks)
	}
}

// TestTheLimitSendsWhatMoved checks that the limit's payloads contain each code that changed, and
// are not too large.
func TestTheLimitSendsWhatMoved(t *testing.T) {
	l, err := limits.NewSceneLimit(1000, 2)
	require.NoError(t, err)
	for _, percent := range []int{100, 10} {
		l.Move(percent)
		l.Send()
		codes := 0
		for payload := range l.Shared.Each {
			require.LessOrEqual(t, len(payload), entangle.MaxPayload)
			codes += readLimit(l, payload, l.Count == len(l.Codes))
		}
		assert.Equal(t, l.Count, codes)
	}
}

// TestTheLimitOfViewsSendsWhatMovedInThem checks that each client's packets are exactly as large as
// the moved entities of its view require.
func TestTheLimitOfViewsSendsWhatMovedInThem(t *testing.T) {
	l, err := limits.NewSceneLimit(10_000, 200)
	require.NoError(t, err)
	l.See()
	l.Move(100)
	l.SendViews()
	l.Move(10)
	l.SendViews()
	for i := range l.Clients {
		moved, gaps := 0, 0
		for e, last := 0, -1; e < len(l.Codes); e++ {
			if limits.InView(i, e, len(l.Codes)) && l.Moved[e/64]>>(e%64)&1 != 0 {
				gaps += len(limits.AppendGap(nil, e-last))
				moved, last = moved+1, e
			}
		}
		require.InDelta(t, limits.ViewSize/10, moved, limits.ViewSize/20)
		out := &l.Clients[i].Out
		require.Len(t, out.Ends, 1)
		require.Equal(t, limits.ViewHead+gaps+moved*limits.SceneCodeSize, workload.PayloadSize(out.Data), "client %d", i)
	}
}

// readLimit reads a payload of the limit, and counts the codes that are correct.
func readLimit(l *limits.SceneLimit, b []byte, all bool) (right int) {
	known := map[limits.SceneCode]bool{}
	for i := range l.Codes {
		pose := l.Pose(i)
		known[limits.CodeOf(&pose)] = true
	}
	for b = b[limits.LimitHead:]; len(b) > 0; b = b[limits.SceneCodeSize:] {
		if !all {
			size := 1
			if b[0] == 255 {
				size = limits.MaxGapSize
			}
			b = b[size:]
		}
		code := limits.SceneCode{Low: binary.LittleEndian.Uint64(b), High: binary.LittleEndian.Uint16(b[8:])}
		if known[code] {
			right++
		}
	}
	return right
}
