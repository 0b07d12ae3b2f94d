package cases

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// inputs: the cost of the inputs of 200 players for a server in a tick. Each has one entity, and a
// stick with a value that changes every eight ticks. Packets take three ticks each way, so a packet
// has the inputs of some eight ticks. One operation is a frame of the server with its received
// packets, less that of the same server with the same world and players without inputs. That leaves
// the packets that carry the inputs, handling them, the components in their tick, the reports on
// their arrival, and acknowledging. Nothing is sealed. Limit: the same by hand, from the same
// packets into arrays (limits/inputs.go).
//
// inputs/frame compares the two frames. inputs/rebroadcast relays all inputs to the twenty players
// of a room; in place of the limit stands the server that does not. inputs/memory is the additional
// heap of a server for each client if there are inputs. The field figures has the bytes of a player
// in a second, more than without inputs, and for inputs/tick the parts: received packets, the
// components, and the rest.
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

// inputPair is two servers of which one has more to do.
type inputPair struct {
	more, less *inputGame
	limit      *limits.InputLimit    // nil: less is the limit
	wrong      bool                  // the limit could not read a packet
	parts      [inputParts][]float64 // the time of the inputs
	hand       []float64             // and the limit
	from       [2][2]int             // bytes before it counted: of more and less; up and down
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

// samples are all lists of times.
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

// extra is how many bytes more a player has in a second, up and down.
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
	for range 2 * inputWay { // until the limit has the repeated inputs
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

// both runs a frame of either server, and notes what the inputs took.
func (p *inputPair) both() {
	more, less := p.more.runServerFrame(), p.less.runServerFrame()
	for i := range more {
		p.parts[i] = append(p.parts[i], more[i]-less[i])
	}
}

// ratio is the time of the inputs divided by that of the limit. Each part has its own median,
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

// heapOf returns the bytes of the heap that a server and its world take, and releases it.
func heapOf(g **inputGame) float64 {
	(*g).clients, (*g).layer.Ends = nil, nil
	with := heapInUse()
	*g = nil
	return with - heapInUse()
}

func newInputLayer(clients int, tick *entangle.Tick) *workload.InputLayer {
	l := &workload.InputLayer{Tick: tick}
	for range clients {
		l.Ends = append(l.Ends, &workload.InputEnd{Layer: l, Down: newSceneLine(inputWay), Up: newSceneLine(inputWay)})
	}
	return l
}
