package main

import "errors"

// capped: what a tick costs where each client may be sent half of what there is, so that
// it has to be chosen, next to the same tick without a cap.
func cappedVariants() []variant {
	shared := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100, rtt: sixTicks, allowed: 5_200}
	own := viewScene(viewEntities, viewClients)
	own.allowed = 290
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
