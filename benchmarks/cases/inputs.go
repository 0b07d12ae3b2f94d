package cases

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// The case inputs measures what the inputs of 200 players cost a server in a tick. Each player has
// one entity, and a stick that changes every eight ticks. Packets take three ticks each way, so
// that a packet carries the inputs of about eight ticks. One operation is a frame of the server
// with its received packets, less a frame of an equal server with the same world and players
// without inputs. The difference is handling the packets that carry the inputs, writing the
// components of each tick, reporting when inputs arrived, and acknowledging. Nothing is sealed. The
// limit does the same by hand, from the same packets into arrays (limits/inputs.go).
//
// inputs/frame compares the two frames. inputs/rebroadcast relays all inputs to the twenty players
// of a room; in place of the limit there is the server that does not relay. inputs/memory is the
// additional heap of a server for each client if there are inputs. The field figures has the
// additional bytes per second of a player with inputs, and for inputs/tick the time of its parts:
// received packets, the components, and the rest.
const inputRounds = 300

func inputVariants() []report.Variant {
	return []report.Variant{
		{Name: "inputs/tick", Goal: 2, Rounds: inputRounds, Heavy: true, Prepare: inputsPrepare},
		{Name: "inputs/frame", Rounds: inputRounds, Heavy: true, Prepare: func() (report.Sides, error) {
			return inputFramesPrepare(ownInputs, noInputs)
		}},
		{Name: "inputs/rebroadcast", Rounds: inputRounds, Heavy: true, Prepare: func() (report.Sides, error) {
			return inputFramesPrepare(passedInputs, ownInputs)
		}},
		{Name: "inputs/memory", Unit: "bytes/client", Rounds: memoryRounds, Heavy: true, Prepare: inputMemoryPrepare},
	}
}

// inputPair is two servers, one of which has more to do.
type inputPair struct {
	more, less *inputGame
	limit      *limits.InputLimit    // nil if less takes the place of the limit
	wrong      bool                  // the limit could not read a packet
	parts      [inputParts][]float64 // the times that the inputs cost more, by part of the frame
	hand       []float64             // the times of the limit
	from       [2][2]int             // bytes before counting began: of more and less, up and down
	ticks      int
}

func newInputPair(more, less inputKind) (*inputPair, error) {
	p := &inputPair{}
	for _, list := range p.samples() {
		*list = make([]float64, 0, 2*inputRounds)
	}
	var err error
	if p.more, err = newInputGame(more); err != nil {
		return nil, err
	}
	if p.less, err = newInputGame(less); err != nil {
		return nil, err
	}
	for i, g := range []*inputGame{p.more, p.less} {
		p.from[i][0], p.from[i][1] = g.traffic()
	}
	return p, nil
}

// samples returns all lists of times.
func (p *inputPair) samples() []*[]float64 {
	list := []*[]float64{&p.hand}
	for i := range p.parts {
		list = append(list, &p.parts[i])
	}
	return list
}

// before runs the frames of all players.
func (p *inputPair) before() {
	p.ticks++
	p.more.others()
	p.less.others()
}

// extra returns how many bytes per second and player more has in excess of less, up and down.
func (p *inputPair) extra() (up, down float64) {
	var sum [2][2]int
	for i, g := range []*inputGame{p.more, p.less} {
		sum[i][0], sum[i][1] = g.traffic()
	}
	per := func(way int) float64 {
		bytes := sum[0][way] - p.from[0][way] - sum[1][way] + p.from[1][way]
		return float64(bytes) / inputClients * workload.TickRate / float64(p.ticks)
	}
	return per(0), per(1)
}

func (p *inputPair) figures() map[string]float64 {
	up, down := p.extra()
	all := map[string]float64{"bytes_up_per_s": up, "bytes_down_per_s": down}
	for i, name := range [...]string{"receive_ns", "apply_ns", "rest_ns"} {
		if len(p.parts[i]) > 0 {
			all[name] = report.Median(p.parts[i])
		}
	}
	return all
}

func (p *inputPair) verify() error { return errors.Join(p.more.verify(), p.less.verify()) }

func inputFramesPrepare(more, less inputKind) (report.Sides, error) {
	p, err := newInputPair(more, less)
	if err != nil {
		return report.Sides{}, err
	}
	return report.Sides{
		Before:  p.before,
		Ours:    func() { p.more.server.Step(p.more.now) },
		Limit:   func() { p.less.server.Step(p.less.now) },
		Figures: p.figures,
		Verify:  p.verify,
	}, nil
}

func inputsPrepare() (report.Sides, error) {
	p, err := newInputPair(ownInputs, noInputs)
	if err != nil {
		return report.Sides{}, err
	}
	p.limit = limits.NewInputLimit(inputClients, p.more.server.Tick())
	for range 2 * inputWay { // runs until the limit has the inputs that packets repeat
		p.before()
		p.both()
		p.byHand()
	}
	for _, list := range p.samples() {
		*list = (*list)[:0]
	}
	return report.Sides{
		Before:  p.before,
		Ours:    p.both,
		Limit:   p.byHand,
		Figure:  p.ratio,
		Figures: p.figures,
		Verify:  p.verifyComponents,
	}, nil
}

// both runs a frame of each server, and records how much longer the one with inputs took.
func (p *inputPair) both() {
	more, less := p.more.runServerFrame(), p.less.runServerFrame()
	for i := range more {
		p.parts[i] = append(p.parts[i], more[i]-less[i])
	}
}

// ratio returns the time of the inputs divided by that of the limit. Each part has its own median,
// because interruptions of the machine seldom fall into the same part twice.
func (p *inputPair) ratio() (sum float64) {
	for i := range p.parts {
		sum += report.Median(p.parts[i])
	}
	return sum / report.Median(p.hand)
}

func (p *inputPair) byHand() {
	p.hand = append(p.hand, report.Clock(func() { p.wrong = !p.limit.Run(p.more.layer.Ends) || p.wrong }))
}

// verifyComponents compares the input components of the server with those of the limit.
func (p *inputPair) verifyComponents() error {
	if p.wrong {
		return errors.New("the limit can't read a packet")
	}
	if tick := p.more.server.Tick(); tick != p.limit.Tick {
		return fmt.Errorf("the server is at tick %d, and the limit at %d", tick, p.limit.Tick)
	}
	m := generic.NewMap1[workload.Stick](p.more.world)
	for i, e := range p.more.sticks {
		if got := *m.Get(e); got != p.limit.Sticks[i] {
			return fmt.Errorf("player %d has %v, and the limit %v", i, got, p.limit.Sticks[i])
		}
	}
	return p.verify()
}

func inputMemoryPrepare() (report.Sides, error) {
	p, err := newInputPair(ownInputs, noInputs)
	if err != nil {
		return report.Sides{}, err
	}
	return report.Sides{
		Before: p.before,
		Ours:   func() { p.more.server.Step(p.more.now) },
		Limit:  func() { p.less.server.Step(p.less.now) },
		Figure: func() float64 {
			err = p.verify()
			return (heapOf(&p.more) - heapOf(&p.less)) / inputClients
		},
		Verify: func() error { return err },
	}, nil
}

// heapOf returns the heap in bytes that a server and its world take, and releases both.
func heapOf(g **inputGame) float64 {
	(*g).clients, (*g).layer.Ends = nil, nil
	with := heapInUse()
	*g = nil
	return with - heapInUse()
}
