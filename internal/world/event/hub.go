package event

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// Hub keeps the event queues of one world, one per kind of event. It is a resource of the world,
// which the plugin adds.
type Hub struct {
	queues     map[reflect.Type]any
	agers      []ager
	components map[reflect.Type]*ComponentEvents
	messages   map[reflect.Type]*MessageEvents
	inputs     map[reflect.Type]*InputEvents
	responses  map[requestKey]*ResponseEvents
	resources  map[reflect.Type]*ResourceEvents
	limit      int // the largest number of events in a queue of messages
}

type ager interface {
	age()
	silence(on bool)
	Dropped() uint64
}

// NewHub returns a hub without queues.
func NewHub() *Hub {
	return &Hub{
		queues:     map[reflect.Type]any{},
		components: map[reflect.Type]*ComponentEvents{},
		messages:   map[reflect.Type]*MessageEvents{},
		inputs:     map[reflect.Type]*InputEvents{},
		responses:  map[requestKey]*ResponseEvents{},
		resources:  map[reflect.Type]*ResourceEvents{},
		limit:      MaxMessageEvents,
	}
}

// InstallHub returns the world's hub and adds one if there is none.
func InstallHub(w *ecs.World) *Hub {
	if h := HubOf(w); h != nil {
		return h
	}
	h := NewHub()
	ecs.AddResource(w, h)
	return h
}

// HubOf returns the world's hub, or nil if the world has none.
func HubOf(w *ecs.World) *Hub {
	hub, _ := w.Resources().Get(ecs.ResourceID[Hub](w)).(*Hub)
	return hub
}

// QueueOf returns the hub's queue of events of type E, which keeps at most MaxEvents. Code that
// raises or reads these events calls it once, at set-up, and keeps the queue.
func QueueOf[E any](h *Hub) *Queue[E] { return queueOf[E](h, MaxEvents) }

// MessageQueueOf returns the hub's queue of events of type E that come from peers. It keeps at most
// MaxMessageEvents, or the number that LimitMessages has set. The first call for a type creates its
// queue and fixes that limit.
func MessageQueueOf[E any](h *Hub) *Queue[E] { return queueOf[E](h, h.limit) }

// LimitMessages sets how many messages each queue keeps that is created from now on.
func (h *Hub) LimitMessages(n int) { h.limit = n }

// addEvents returns the events of a type, and adds them at the first call.
func addEvents[K comparable, E any](all map[K]*E, of K, events E) *E {
	if all[of] == nil {
		all[of] = &events
	}
	return all[of]
}

func queueOf[E any](h *Hub, limit int) *Queue[E] {
	t := reflect.TypeFor[E]()
	if q, ok := h.queues[t]; ok {
		return q.(*Queue[E])
	}
	q := &Queue[E]{limit: limit}
	h.queues[t] = q
	h.agers = append(h.agers, q)
	return q
}

// BeginFrame drops the events that every reader has had a chance to read. It is called before any
// other part of a frame, with the number of ticks of the previous frame. While no tick runs, events
// wait for the readers that run once per tick.
func (h *Hub) BeginFrame(ticksBefore int) {
	if ticksBefore == 0 {
		return
	}
	for _, q := range h.agers {
		q.age()
	}
}

// Silence(true) begins a tick that is replayed: readers keep their positions and read only events
// of that tick. Silence(false) ends the last such tick.
func (h *Hub) Silence(on bool) {
	for _, q := range h.agers {
		q.silence(on)
	}
}

// Dropped returns how many events of all kinds were dropped because their queue was full.
func (h *Hub) Dropped() uint64 {
	var n uint64
	for _, q := range h.agers {
		n += q.Dropped()
	}
	return n
}
