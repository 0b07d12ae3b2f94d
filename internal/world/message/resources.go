package message

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Resources sends a server's resources to its clients. Arche does not report changes of a resource,
// so each replicated one is encoded in every tick, once for all clients, and compared with its
// previous bytes.
//
// A client receives whole values. The next value of a resource is sent when the client has
// acknowledged the previous one: of changes that come faster than acknowledgements, only the newest is
// sent.
type Resources struct {
	world     *ecs.World
	List      []resource // by number
	collector *source.Collector
	Targets   *components.Targets
	log       *slog.Logger
	stat      ResourceStats
	onRefused func(*registry.Resource, error)

	w       bits.Writer
	body    []byte // the present value of the current resource
	refs    entityTable
	names   []repl.ID // the network ids of the current entities, for one client
	message []byte
	seed    maphash.Seed
}

// ResourceStats counts the fates of resources.
type ResourceStats struct {
	Changed  uint64 // values that differed from the last, each sent to its target
	Clamped  uint64 // numbers outside their range, sent as the nearest number in the range
	Refused  uint64 // values that could not be sent
	Sent     uint64 // values and removals, counted for each client
	Received uint64 // values and removals
}

// resource is one registered resource on a server.
type resource struct {
	Info *registry.Resource
	id   ecs.ResID

	On       bool              // it is being replicated
	Observed bool              // it was observed since its replication started
	asked    components.Target // as the game set it
	Target   components.Target // as resolved at the last observation

	Version uint32 // counts the values; 0 is before the first
	There   bool   // it has a value
	body    []byte
	width   int // the length of body in bits
	refs    []ecs.Entity
	called  []called
	calls   uint32        // counts the changes of called
	decoded [2]any        // this value and the previous one, of types where equal values may have different encodings
	private bool          // it refers to an entity that does not have the same network id for all clients
	wire    []byte        // the message with this version, the same for all clients; empty: not made yet
	wired   entangle.Tick // the tick in wire, if it carries one

	refused uint64 // hash of the last refused value; 0: none
}

// called is the present state of an entity in a resource.
type called struct {
	slot repl.Slot // NoSlot: it is not replicated, or has ended
	name repl.ID   // the network id that all clients use; noName: none, or clients use different ones
}

// NewResources returns the registered resources of a server's world. None is replicated before
// Replicate is called for it.
func NewResources(w *ecs.World, infos []*registry.Resource, collector *source.Collector, log *slog.Logger) *Resources {
	s := &Resources{
		world: w, collector: collector, log: log, Targets: source.TargetsOf(w), seed: maphash.MakeSeed(),
		onRefused: func(*registry.Resource, error) {},
	}
	s.Targets.HeldBy(s.held)
	for _, info := range infos {
		r := resource{Info: info, id: ecs.ResourceTypeID(w, info.Type)}
		if !info.Plan.Canonical() {
			r.decoded = [2]any{reflect.New(info.Type).Interface(), reflect.New(info.Type).Interface()}
		}
		s.List = append(s.List, r)
	}
	return s
}

// held calls hold for the targets of all resources, including stopped ones.
func (s *Resources) held(hold func(components.Target)) {
	for i := range s.List {
		hold(s.List[i].asked)
		hold(s.List[i].Target)
	}
}

// OnRefused sets the function that is called for each value that cannot be sent, once for each
// value.
func (s *Resources) OnRefused(f func(*registry.Resource, error)) { s.onRefused = f }

// Stats returns the counters.
func (s *Resources) Stats() ResourceStats { return s.stat }

// Replicate sends a resource to the clients of a target from the next tick on. It returns false for
// a type that is not registered.
func (s *Resources) Replicate(t reflect.Type, target components.Target) bool {
	r := s.findResource(t)
	if r == nil {
		return false
	}
	r.Observed = r.Observed && r.On
	r.On, r.asked = true, target
	return true
}

// Stop leaves a resource on the clients as it is there. It returns false for a type that is not
// registered.
func (s *Resources) Stop(t reflect.Type) bool {
	r := s.findResource(t)
	if r == nil {
		return false
	}
	r.On = false
	return true
}

func (s *Resources) findResource(t reflect.Type) *resource {
	for i := range s.List {
		if s.List[i].Info.Type == t {
			return &s.List[i]
		}
	}
	return nil
}

// Observe reads the present values of the replicated resources. It runs after the collector has
// observed the entities, so that entities spawned in the same tick have network ids.
func (s *Resources) Observe() {
	for i := range s.List {
		if r := &s.List[i]; r.On {
			s.observe(r)
			s.reloadIDs(r)
			r.Observed, r.Target = true, r.asked
		}
	}
}

func (s *Resources) observe(r *resource) {
	v := s.world.Resources().Get(r.id)
	if v == nil {
		r.setRemoved()
		return
	}
	if !r.Info.Plan.Takes(v) {
		panic(fmt.Sprintf("plugin: the resource %s is a %T in its world; add it as a pointer to a value, with ecs.AddResource", r.Info.Name, v))
	}
	clamped, width, err := s.encode(r, v)
	if err != nil {
		s.refuse(r, err)
		return
	}
	r.refused = 0
	if r.There && s.same(r, width) {
		return
	}
	r.body, s.body = s.body, r.body
	r.refs, s.refs.entities = s.refs.entities, r.refs
	r.width, r.There, r.wire = width, true, r.wire[:0]
	r.Version++
	s.stat.Changed++
	s.stat.Clamped += uint64(clamped)
}

// setRemoved records that the world has no such resource.
func (r *resource) setRemoved() {
	if r.There {
		r.Version++
	}
	r.There, r.refused = false, 0
}

// reloadIDs reloads the network ids that clients have for the entities in a value.
func (s *Resources) reloadIDs(r *resource) {
	other := len(r.called) != len(r.refs)
	r.called, r.private = slices.Grow(r.called[:0], len(r.refs))[:len(r.refs)], false
	for i, e := range r.refs {
		now := called{slot: repl.NoSlot, name: noName}
		if slot, ok := s.collector.Slot(e); ok {
			now.slot = slot
			if s.collector.Common(slot) {
				now.name, _ = s.collector.World.ID(slot)
			} else {
				r.private = true
			}
		}
		other = other || now != r.called[i]
		r.called[i] = now
	}
	if other {
		r.calls++
		r.wire = r.wire[:0]
	}
}

// encode writes the current value into body and refs.
func (s *Resources) encode(r *resource, v any) (clamped, width int, err error) {
	s.refs.reset()
	s.w.Reset(s.body[:0])
	clamped, err = r.Info.Plan.EncodeAny(&s.w, v, &s.refs)
	width = s.w.LenBits()
	s.body = s.w.Finish()
	switch size := resourceRoom + refRoom*len(s.refs.entities) + len(s.body); {
	case err != nil:
	case s.refs.full:
		err = fmt.Errorf("%w: it refers to more than %d entities", ErrLargeResource, MaxRefs)
	case size > channel.MaxMessage:
		err = fmt.Errorf("%w: %d bytes with its entities, at most %d", ErrLargeResource, size, channel.MaxMessage)
	}
	return clamped, width, err
}

// ErrLargeResource is wrapped by the error for a value that no message can carry.
var ErrLargeResource = errors.New("plugin: a resource is too large; make two of it")

// resourceRoom is the size of the header before a resource's entities: its number, its kind, its
// tick, and the number of entities that follow.
const resourceRoom = 12

// same reports whether the current value equals the one last sent.
func (s *Resources) same(r *resource, width int) bool {
	if !slices.Equal(s.refs.entities, r.refs) {
		return false
	}
	return width == r.width && bytes.Equal(s.body, r.body) || r.decoded[0] != nil && s.equalDecoded(r)
}

// equalDecoded compares values of types where equal values may have different encodings.
func (s *Resources) equalDecoded(r *resource) bool {
	for i, body := range [][]byte{r.body, s.body} {
		var in bits.Reader
		in.Reset(body)
		if r.Info.Plan.DecodeAny(&in, r.decoded[i], &s.refs) != nil {
			return false
		}
	}
	return r.Info.Plan.EqualAny(r.decoded[0], r.decoded[1])
}

// refuse reports a value that cannot be sent, once for each value. The clients keep the previous value.
func (s *Resources) refuse(r *resource, err error) {
	key := maphash.String(s.seed, err.Error()) ^ maphash.Bytes(s.seed, s.body) | 1
	if r.refused == key {
		return
	}
	r.refused = key
	s.stat.Refused++
	s.log.Error("a resource is not sent, and clients keep the value before", "resource", r.Info.Name, "error", err)
	s.onRefused(r.Info, err)
}
