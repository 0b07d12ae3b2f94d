package cases

import (
	"fmt"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// The case due counts how often a change is sent. 10 clients see 1,000 entities, some of which move
// in each tick. The acknowledgement of a packet reaches the server six ticks after it sent the
// packet. The figure is the number of value records sent per change and client; a sender that
// resent everything until it is acknowledged would have six or more. One operation is a server's
// tick.
const dueClients = 10

// dueWarm is the number of ticks after which the number of packets in flight does not grow any
// more.
const dueWarm = 200

func dueVariants() []report.Variant {
	var all []report.Variant
	for _, percent := range []int{2, 10} {
		for _, lost := range []int{0, 5} {
			cfg := sceneConfig{
				entities: tickEntities, clients: dueClients, percent: percent,
				rtt: sixTicks, loss: float64(lost) / 100,
			}
			all = append(all, report.Variant{
				Name: fmt.Sprintf("due/%dpct-loss-%d", percent, lost), Goal: 1.1, Unit: "sends per change",
				Prepare: func() (report.Sides, error) { return duePrepare(cfg) },
			})
		}
	}
	return all
}

func duePrepare(cfg sceneConfig) (report.Sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	for range dueWarm {
		s.before()
		l.Move(cfg.percent)
		s.runServerTick()
	}
	s.moved = 0
	begun := s.collector.World.Stats().Updates
	return report.Sides{
		Before: func() { s.before(); l.Move(cfg.percent) },
		Ours:   s.runServerTick,
		Limit:  l.Send,
		Bytes:  s.size,
		Figure: func() float64 {
			sent := s.collector.World.Stats().Updates - begun
			return float64(sent) / float64(s.moved*cfg.clients)
		},
		Verify: func() error { return s.verifyClients(l, nil) },
	}, nil
}
