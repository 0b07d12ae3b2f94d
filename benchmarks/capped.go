package main

import "errors"

// capped: the ticks of tick-shared/plain and tick-views/own where a cap leaves each client half
// of what changes, next to the same without one. What is sent then is chosen for each client,
// by how long it has waited, among all that has: what clients are sent differs, so that little
// of it can be shared. One operation is a server's tick.
const (
	cappedShared = 5_200 // bytes of updates for each client in a tick
	cappedOwn    = 290
)

func cappedVariants() []variant {
	shared := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100, rtt: sixTicks, allowed: cappedShared}
	own := viewScene(viewEntities, viewClients)
	own.allowed = cappedOwn
	return []variant{
		{name: "capped/shared", rounds: sceneRounds, heavy: true, prepare: func() (sides, error) { return cappedPrepare(shared) }},
		{name: "capped/own", rounds: sceneRounds, heavy: true, prepare: func() (sides, error) { return cappedPrepare(own) }},
	}
}

func cappedPrepare(cfg sceneConfig) (sides, error) {
	free := cfg
	free.allowed = 0
	l, err := newScene(free)
	if err != nil {
		return sides{}, err
	}
	s, err := newScene(cfg)
	return sides{
		before: func() { s.before(); l.before() },
		ours:   s.send,
		limit:  l.send,
		bytes:  s.size,
		sizes:  func() map[string]int { return map[string]int{"without": l.size()} },
		verify: func() error { return errors.Join(s.err, l.err) },
	}, err
}
