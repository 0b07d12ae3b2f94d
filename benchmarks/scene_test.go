package main

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// TestCodesByHandAreTheOnesOfTheCodec: the limit of the scenes writes the bits that
// the case encode compares with the plan's.
func TestCodesByHandAreTheOnesOfTheCodec(t *testing.T) {
	var w bits.Writer
	for i := range scenePoses {
		w.Reset(nil)
		encodeByHand(&w, &scenePoses[i])
		code := codeOf(&scenePoses[i])
		require.Equal(t, w.Finish(), appendCode(nil, &code), "pose %d", i)
	}
}

// TestScenesCompareEveryClient: a client whose copy is not what it should be fails
// the case, and an honest one does not, whatever gets lost.
func TestScenesCompareEveryClient(t *testing.T) {
	s, l, err := newScenePair(sceneConfig{entities: 300, clients: 3, percent: 10, rtt: spreadTicks, loss: 0.2})
	require.NoError(t, err)
	for range 20 {
		s.before()
		l.move(10)
		s.send()
		l.send()
	}
	require.NoError(t, s.equal(l, nil))
	pose := l.pose(299)
	pose.Pos[1] += 0.02
	l.set(299, &pose)
	assert.ErrorContains(t, s.equal(l, nil), "client 0")
}

// TestScenesWithViews: each client holds what it is shown and nothing else.
func TestScenesWithViews(t *testing.T) {
	sees := func(client, entity int) bool { return entity%3 != client }
	s, l, err := newScenePair(sceneConfig{entities: 300, clients: 3, percent: 10, rtt: spreadTicks, loss: 0.2, sees: sees})
	require.NoError(t, err)
	require.NoError(t, s.equal(l, sees))
	assert.ErrorContains(t, s.equal(l, nil), "its copy of 200 entities")
}

// TestPacketsComeBackAfterTheRoundTrip: what is sent at a tick is acknowledged so
// many ticks later, and not before.
func TestPacketsComeBackAfterTheRoundTrip(t *testing.T) {
	for _, rtt := range []int{1, 2, 6, 12} {
		s, err := newScene(sceneConfig{entities: 1, clients: 1, percent: 100, rtt: func(int) int { return rtt }})
		require.NoError(t, err)
		s.before()
		s.send()
		ticks := 0
		for ; !s.settled(); ticks++ {
			s.between(0)
			if !s.settled() {
				s.send()
			}
		}
		assert.Equal(t, rtt, ticks)
	}
}

// TestTheLimitSendsWhatMoved: its payloads hold each code that changed, and they fit.
func TestTheLimitSendsWhatMoved(t *testing.T) {
	l, err := newSceneLimit(1000, 2)
	require.NoError(t, err)
	for _, percent := range []int{100, 10} {
		l.move(percent)
		l.send()
		codes := 0
		for payload := range l.shared.each {
			require.LessOrEqual(t, len(payload), entangle.MaxPayload)
			codes += readLimit(l, payload, l.count == len(l.codes))
		}
		assert.Equal(t, l.count, codes)
	}
}

// TestTheLimitOfViewsSendsWhatMovedInThem: each client's packets are as large as what
// moved of its view makes them.
func TestTheLimitOfViewsSendsWhatMovedInThem(t *testing.T) {
	l, err := newSceneLimit(10_000, 200)
	require.NoError(t, err)
	l.see()
	l.move(100)
	l.sendViews()
	l.move(10)
	l.sendViews()
	for i := range l.clients {
		moved, gaps := 0, 0
		for e, last := 0, -1; e < len(l.codes); e++ {
			if inView(i, e, len(l.codes)) && l.moved[e/64]>>(e%64)&1 != 0 {
				gaps += len(appendGap(nil, e-last))
				moved, last = moved+1, e
			}
		}
		require.InDelta(t, viewSize/10, moved, viewSize/20)
		out := &l.clients[i].out
		require.Len(t, out.ends, 1)
		require.Equal(t, limitHead+gaps+moved*sceneCodeSize, payloadSize(out.data), "client %d", i)
	}
}

// readLimit reads a payload of the limit, and counts the codes that are right.
func readLimit(l *sceneLimit, b []byte, all bool) (right int) {
	known := map[sceneCode]bool{}
	for i := range l.codes {
		pose := l.pose(i)
		known[codeOf(&pose)] = true
	}
	for b = b[limitHead:]; len(b) > 0; b = b[sceneCodeSize:] {
		if !all {
			size := 1
			if b[0] == 255 {
				size = maxGapSize
			}
			b = b[size:]
		}
		code := sceneCode{low: binary.LittleEndian.Uint64(b), high: binary.LittleEndian.Uint16(b[8:])}
		if known[code] {
			right++
		}
	}
	return right
}
