package cases

import (
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// The case fan-out measures the cost of one more client that has the same view as others. That cost
// is the slope of the time of a server's tick over 10, 50 and 100 clients, by least squares. It is
// compared with copying and sealing the packets of one client. World and movement are those of
// tick-shared. One operation on our side is a tick of all three servers; one operation of the limit
// is the packets of 100 clients.
var fanOutClients = [...]int{10, 50, 100}

func fanOutVariants() []report.Variant {
	return []report.Variant{{Name: "fan-out/shared", Goal: 2, Unit: "x copy and seal", Rounds: sceneRounds, Heavy: true, Prepare: fanOutPrepare}}
}

// sceneRounds is the number of rounds of a scene: few, because the work between two ticks takes
// longer than a tick.
const sceneRounds = 100

// fanOut is the three servers and the durations of their ticks.
type fanOut struct {
	scenes [len(fanOutClients)]*scene
	limits [len(fanOutClients)]*limits.SceneLimit
	took   [len(fanOutClients)][]float64
	bag    workload.Packets // the payloads of one client
	seals  []float64
}

func fanOutPrepare() (report.Sides, error) {
	f := &fanOut{}
	for i, clients := range fanOutClients {
		cfg := sceneConfig{entities: tickEntities, clients: clients, percent: 100, rtt: sixTicks}
		var err error
		if f.scenes[i], f.limits[i], err = newScenePair(cfg); err != nil {
			return report.Sides{}, err
		}
		f.took[i] = make([]float64, 0, 2*report.Rounds)
	}
	f.seals = make([]float64, 0, 2*report.Rounds)
	return report.Sides{
		Before: f.before,
		Ours:   f.sendScenes,
		Limit:  f.seal,
		Figure: func() float64 { return f.slope() / (report.Median(f.seals) / tickClients) },
		Verify: f.verifyScenes,
	}, nil
}

func (f *fanOut) before() {
	for i, s := range f.scenes {
		s.before()
		f.limits[i].Move(100)
	}
}

func (f *fanOut) sendScenes() {
	for i, s := range f.scenes {
		f.took[i] = append(f.took[i], report.Clock(s.runServerTick))
	}
}

// seal copies and seals the packets of one client's last tick, as often as the largest server has
// clients.
func (f *fanOut) seal() {
	last := f.limits[len(f.limits)-1]
	f.bag.Reset()
	for sealed := range f.scenes[0].clients[0].out.Each {
		f.bag.Add(append(f.bag.Data, sealed[:workload.PayloadSize(sealed)]...))
	}
	f.seals = append(f.seals, report.Clock(func() { last.FanOut(&f.bag) }))
}

// slope returns the nanoseconds that one more client costs, by least squares.
func (f *fanOut) slope() float64 {
	var clients, took [len(fanOutClients)]float64
	for i := range f.took {
		clients[i], took[i] = float64(fanOutClients[i]), report.Median(f.took[i])
	}
	x, y := mean(clients[:]), mean(took[:])
	var above, below float64
	for i := range clients {
		above += (clients[i] - x) * (took[i] - y)
		below += (clients[i] - x) * (clients[i] - x)
	}
	return above / below
}

func mean(all []float64) (sum float64) {
	for _, v := range all {
		sum += v / float64(len(all))
	}
	return sum
}

func (f *fanOut) verifyScenes() error {
	for i, s := range f.scenes {
		if err := s.verifyClients(f.limits[i], nil); err != nil {
			return err
		}
	}
	return nil
}
