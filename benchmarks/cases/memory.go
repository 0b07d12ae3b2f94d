package cases

import (
	"runtime"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// The case memory measures the memory that a server keeps for its clients. It is the heap in use
// after 200 clients have got 10,000 groups each, all of which have moved and a tenth of which is
// moving, less the heap of the same server before any client joined. The first figure is this
// difference. The second figure is what one more group costs per client, between 1,000 and 10,000
// groups. Clients do not decode here, and are released before the heap is measured. One operation
// is a server's tick.
const (
	memoryClients = 200
	memoryGroups  = 10_000
	memoryFew     = 1_000
	memoryTicks   = 20 // ticks in which entities move
)

func memoryVariants() []report.Variant {
	return []report.Variant{
		{Name: "memory/clients", Goal: 100, Unit: "MB", Rounds: memoryRounds, Heavy: true, Prepare: func() (report.Sides, error) {
			return memoryPrepare(func(m *clientHeap) float64 { return m.heap() / 1e6 })
		}},
		{Name: "memory/group", Goal: 32, Unit: "bytes", Rounds: memoryRounds, Heavy: true, Prepare: func() (report.Sides, error) {
			few, err := memoryOf(memoryFew)
			if err != nil {
				return report.Sides{}, err
			}
			base := few.heap()
			return memoryPrepare(func(m *clientHeap) float64 {
				return (m.heap() - base) / (memoryClients * (memoryGroups - memoryFew))
			})
		}},
	}
}

const memoryRounds = 5

// clientHeap is a server that clients have joined.
type clientHeap struct {
	scene  *scene
	limit  *limits.SceneLimit
	before float64 // bytes in use before any client joined
}

func memoryPrepare(figure func(*clientHeap) float64) (report.Sides, error) {
	m, err := memoryOf(memoryGroups)
	if err != nil {
		return report.Sides{}, err
	}
	s, l := m.scene, m.limit
	return report.Sides{
		Before: func() { s.before(); l.Move(s.cfg.percent) },
		Ours:   s.runServerTick,
		Limit:  l.Send,
		Bytes:  s.size,
		Figure: func() float64 { return figure(m) },
		Verify: func() error { return s.err },
	}, nil
}

func memoryOf(groups int) (*clientHeap, error) {
	cfg := sceneConfig{entities: groups, clients: memoryClients, percent: 10, rtt: sixTicks, deaf: true}
	m := &clientHeap{}
	var err error
	if m.limit, err = limits.NewSceneLimit(cfg.entities, cfg.clients); err != nil {
		return nil, err
	}
	if m.scene, err = newEmptyScene(cfg); err != nil {
		return nil, err
	}
	m.before = heapInUse()
	if err := m.scene.connectClients(); err != nil {
		return nil, err
	}
	for tick := range memoryTicks {
		percent := cfg.percent
		if tick == 0 {
			percent = 100 // memory that grows with movement has grown by now
		}
		m.scene.between(percent)
		m.limit.Move(percent)
		m.scene.runServerTick()
	}
	return m, m.scene.err
}

// heap returns the bytes that the server keeps for its clients. Nothing can be sent afterwards.
func (m *clientHeap) heap() float64 {
	for _, c := range m.scene.clients {
		*c = sceneClient{server: c.server}
	}
	*m.limit = limits.SceneLimit{} // its buffers do not belong to the server
	used := heapInUse() - m.before
	runtime.KeepAlive(m)
	return used
}

func heapInUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // the second collection frees the memory of pools
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
