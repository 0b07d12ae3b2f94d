package cases

import (
	"runtime"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// memory: the memory of a server for its clients. It is the heap in use once 200 clients have
// 10,000 groups each, all of them moved once and a tenth moving, less the heap of the same server
// before any client joined. The first figure is all of it; the second is the cost of one more group
// for a client, between 1,000 and 10,000. Clients do not decode here, and are released before the
// heap is measured. One operation is a server's tick.
const (
	memoryClients = 200
	memoryGroups  = 10_000
	memoryFew     = 1_000
	memoryTicks   = 20 // in which something moves
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

// clientHeap is a server that people have joined.
type clientHeap struct {
	scene  *scene
	limit  *limits.SceneLimit
	before float64 // bytes in use when nobody had
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
			percent = 100 // memory that grows with movement has grown
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
	*m.limit = limits.SceneLimit{} // its buffers are not the server's
	used := heapInUse() - m.before
	runtime.KeepAlive(m)
	return used
}

func heapInUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // the memory of pools is free after the second
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
