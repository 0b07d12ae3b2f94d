package main

import (
	"bytes"
	"errors"
	"runtime"

	"github.com/entangle-ecs/entangle"
)

// tick-shared: 1,000 entities that all move, 100 clients that see them all. One
// operation is a server's tick from Observe to sealed packets. Limit: find what moved,
// encode each once, and copy and seal the payloads for each client (scene_limit.go).
// With two workers, on a line of its own, the limit is that for one.
// Where clients predict what moves, the server rounds it too: next to the same without.
// What arrives at the server between two ticks is on a line of its own, without a
// goal: each client's acknowledgements and a byte of input. Limit: open as many
// packets.
const (
	tickEntities = 1_000
	tickClients  = 100
)

func tickVariants() []variant {
	plain := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100, rtt: sixTicks}
	lossy := plain
	lossy.loss, lossy.rtt = 0.05, spreadTicks
	workers := plain
	workers.workers = maxWorkers
	return []variant{
		{name: "tick-shared/plain", goal: 1.5, rounds: sceneRounds, heavy: true, prepare: func() (sides, error) { return tickPrepare(plain) }},
		{name: "tick-shared/lossy", goal: 2.5, rounds: sceneRounds, warm: 80, heavy: true, prepare: func() (sides, error) { return tickPrepare(lossy) }},
		{name: "tick-shared/workers-2", workers: maxWorkers, rounds: sceneRounds, heavy: true, prepare: func() (sides, error) { return tickPrepare(workers) }},
		{name: "tick-shared/rounded", rounds: sceneRounds, heavy: true, prepare: func() (sides, error) { return roundedPrepare(plain) }},
		{name: "tick-shared/answers", rounds: sceneRounds, heavy: true, prepare: func() (sides, error) { return answersPrepare(plain) }},
	}
}

// spreadTicks are round trips from 20 to 200 ms.
func spreadTicks(client int) int { return 1 + client%12 }

func tickPrepare(cfg sceneConfig) (sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return sides{}, err
	}
	return sides{
		before:   func() { s.before(); l.move(cfg.percent) },
		ours:     s.send,
		limit:    l.send,
		bytes:    s.size,
		sizes:    func() map[string]int { return map[string]int{"limit": l.size()} },
		verify:   func() error { return s.equal(l, nil) },
		anchors:  l.anchors(),
		anchored: true,
	}, nil
}

// roundedPrepare sets a tick whose values are rounded next to one whose are not.
func roundedPrepare(cfg sceneConfig) (sides, error) {
	l, err := newScene(cfg)
	if err != nil {
		return sides{}, err
	}
	cfg.rounded = true
	s, err := newScene(cfg)
	return sides{
		before: func() { s.before(); l.before() },
		ours:   s.send,
		limit:  l.send,
		bytes:  s.size,
		verify: func() error { return errors.Join(s.err, l.err) },
	}, err
}

func answersPrepare(cfg sceneConfig) (sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return sides{}, err
	}
	arrive := func() {
		s.now = s.now.Add(sceneStep)
		s.receiveAll()
	}
	arrive()
	s.hear()
	return sides{
		before: func() {
			s.nextTick(cfg.percent)
			l.move(cfg.percent)
			s.send()
			arrive()
			l.answer(s.clients[0].up.at(s.tick).data)
		},
		ours:  s.hear,
		limit: l.open,
		verify: func() error {
			s.nextTick(0)
			s.send()
			return s.equal(l, nil)
		},
	}, nil
}

// newScenePair returns both sides of a scene.
func newScenePair(cfg sceneConfig) (*scene, *sceneLimit, error) {
	s, err := newScene(cfg)
	if err != nil {
		return nil, nil, err
	}
	l, err := newSceneLimit(cfg.entities, cfg.clients)
	if err != nil {
		return nil, nil, err
	}
	l.poses = s.poses
	if cfg.grid {
		l.walk(s.walkers)
	}
	l.move(100) // as the scene began
	l.detect()
	l.round = s.round // both choose the same entities from here on
	for range sceneWarm {
		s.before()
		l.move(cfg.percent)
		s.send()
		if cfg.grid {
			l.sendGrid()
		} else {
			l.send()
		}
	}
	s.moved = 0
	return s, l, s.err
}

// sceneWarm is how many ticks a scene runs before it counts: packets are under way
// then as they will be, and what grows with them has grown.
const sceneWarm = 30

// anchors are what the limit is made of where everything moves, without the
// encoding, which the standard library has nothing for.
func (l *sceneLimit) anchors() []anchor {
	now, old := l.now, bytes.Clone(l.now)
	bag := l.packed()
	sealing := make([]limitClient, len(l.clients))
	for i := range sealing {
		_ = sealing[i].init(byte(i))
	}
	var buf [entangle.MaxPayload]byte
	return []anchor{
		{"bytes.Equal", func() { runtime.KeepAlive(bytes.Equal(now, old)) }},
		{"copy", func() {
			copy(old, now)
			for range sealing {
				for payload := range bag.each {
					copy(buf[:], payload)
				}
			}
		}},
		{"Seal", func() {
			for i := range sealing {
				sealing[i].out.reset()
				for payload := range bag.each {
					sealing[i].seal(payload)
				}
			}
		}},
	}
}

// packed returns the payloads of a tick in which everything moves.
func (l *sceneLimit) packed() *sceneBag {
	for w := range l.moved {
		l.moved[w] = ^uint64(0) >> max(0, 64*(w+1)-len(l.codes))
	}
	l.count = len(l.codes)
	l.encode()
	l.pack()
	bag := sceneBag{data: bytes.Clone(l.shared.data), ends: append([]int(nil), l.shared.ends...)}
	return &bag
}
