package event

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// Hub keeps the event queues of one world, one per kind of event. It is a
// resource of the world, put there by the plugin.
type Hub struct {
	queues     map[reflect.Type]any
	agers      []ager
	components map[reflect.Type]*ComponentEvents
	messages   map[reflect.Type]*MessageEvents
	inputs     map[reflect.Type]*InputEvents
	responses  map[requestKey]*ResponseEvents
	resources  map[reflect.Type]*ResourceEvents
	limit      int // of a queue of messages
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

// QueueOf returns the hub's queue of events of type E, which keeps at most
// MaxEvents. Whoever raises or reads them asks once, at set-up, and keeps it.
func QueueOf[E any](h *Hub) *Queue[E] { return queueOf[E](h, MaxEvents) }

// MessageQueueOf returns the hub's queue of events of type E that are made by
// peers, which keeps at most MaxMessageEvents, or as many as LimitMessages says. Whoever asks
// for a queue first decides how much it keeps.
func MessageQueueOf[E any](h *Hub) *Queue[E] { return queueOf[E](h, h.limit) }

// LimitMessages says how many messages a queue keeps that is made from now on.
func (h *Hub) LimitMessages(n int) { h.limit = n }

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

// BeginFrame ends the events that every reader had its turn with. It is called
// before anything of a frame runs, with the number of ticks that ran in the frame
// before: while none runs, events wait for the readers that run once per tick.
func (h *Hub) BeginFrame(ticksBefore int) {
	if ticksBefore == 0 {
		return
	}
	for _, q := range h.agers {
		q.age()
	}
}

// Silence begins a tick that is computed anew: readers keep their places and read nothing
// but what belongs to that tick. With false it ends the last one.
func (h *Hub) Silence(on bool) {
	for _, q := range h.agers {
		q.silence(on)
	}
}

// Dropped returns how many events of all kinds were dropped because their queue
// was full.
func (h *Hub) Dropped() uint64 {
	var n uint64
	for _, q := range h.agers {
		n += q.Dropped()
	}
	return n
}
