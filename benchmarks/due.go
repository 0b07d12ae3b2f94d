package main

import "fmt"

// due: how often a change is sent. 1,000 entities of which some move in each tick,
// 10 clients that see them all; the server has their answer six ticks after it sent. The figure is records of
// values sent for each change and client; a sender that sent everything anew until
// it is acknowledged would have six and more. One operation is a server's tick.
const dueClients = 10

// dueWarm is the ticks after which what is in flight has been as much as it gets.
const dueWarm = 200

func dueVariants() []variant {
	var all []variant
	for _, percent := range []int{2, 10} {
		for _, lost := range []int{0, 5} {
			cfg := sceneConfig{
				entities: tickEntities, clients: dueClients, percent: percent,
				rtt: sixTicks, loss: float64(lost) / 100,
			}
			all = append(all, variant{
				name: fmt.Sprintf("due/%dpct-loss-%d", percent, lost), goal: 1.1, unit: "sends per change",
				prepare: func() (sides, error) { return duePrepare(cfg) },
			})
		}
	}
	return all
}

func duePrepare(cfg sceneConfig) (sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return sides{}, err
	}
	for range dueWarm {
		s.before()
		l.move(cfg.percent)
		s.send()
	}
	s.moved = 0
	begun := s.publisher.World().Stats().Updates
	return sides{
		before: func() { s.before(); l.move(cfg.percent) },
		ours:   s.send,
		limit:  l.send,
		bytes:  s.size,
		figure: func() float64 {
			sent := s.publisher.World().Stats().Updates - begun
			return float64(sent) / float64(s.moved*cfg.clients)
		},
		verify: func() error { return s.equal(l, nil) },
	}, nil
}
