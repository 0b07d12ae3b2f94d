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

// Resources is the way from a server's resources to its clients. Arche tells of no
// change in a resource, so each that is replicated is encoded in every tick, once for
// all clients, and what it is then is compared with what it was.
//
// A client is sent whole values, and of each resource the next only when it has the
// one before: what changes faster than a client acknowledges coalesces to the newest.
type Resources struct {
	world     *ecs.World
	List      []resource // by number
	publisher *source.Publisher
	Targets   *components.Targets
	log       *slog.Logger
	stat      ResourceStats
	onRefused func(*registry.Resource, error)

	w       bits.Writer
	body    []byte // of the resource at hand, as it is now
	refs    entityTable
	names   []repl.ID // of the entities at hand, for one client
	message []byte
	seed    maphash.Seed
}

// ResourceStats counts what became of resources.
type ResourceStats struct {
	Changed  uint64 // values that differed from the last, each sent to whom it is for
	Clamped  uint64 // numbers in them outside their range, sent as the nearest inside
	Refused  uint64 // values that could not be sent
	Sent     uint64 // values and removals, to one client each
	Received uint64 // values and removals
}

// resource is one registered resource on a server.
type resource struct {
	Info *registry.Resource
	id   ecs.ResID

	On       bool // it is replicated
	Observed bool // since it is
	asked    components.Target
	Target   components.Target // as it was asked at the last observation

	Version uint32 // counts what it was; 0 is before the first
	There   bool   // it has a value
	body    []byte
	width   int // of body, in bits
	refs    []ecs.Entity
	called  []called
	calls   uint32        // counts what they were
	decoded [2]any        // the value and the one before, of types whose encodings may differ for equal values
	private bool          // it refers to who is not the same to all clients
	wire    []byte        // the message of this version, the same for all; empty: not made yet
	wired   entangle.Tick // that it says, of those that say one

	refused uint64 // the value that was refused last; 0: it was not
}

// called is an entity in a resource as it is at present.
type called struct {
	slot repl.Slot // NoSlot: it is not replicated, or has ended
	name repl.ID   // that all clients have for it; noName: they have none, or each its own
}

// NewResources returns the registered resources of a server's world. None is
// replicated before Replicate says so.
func NewResources(w *ecs.World, infos []*registry.Resource, publisher *source.Publisher, log *slog.Logger) *Resources {
	s := &Resources{
		world: w, publisher: publisher, log: log, Targets: source.TargetsOf(w), seed: maphash.MakeSeed(),
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

// held tells of all targets of resources, also of those that are stopped.
func (s *Resources) held(hold func(components.Target)) {
	for i := range s.List {
		hold(s.List[i].asked)
		hold(s.List[i].Target)
	}
}

// OnRefused has f told of values that can't be sent, once for each value.
func (s *Resources) OnRefused(f func(*registry.Resource, error)) { s.onRefused = f }

// Stats returns the counters.
func (s *Resources) Stats() ResourceStats { return s.stat }

// Replicate has the clients of a target get a resource from the next tick on. It
// reports false for a type that is not registered.
func (s *Resources) Replicate(t reflect.Type, target components.Target) bool {
	r := s.find(t)
	if r == nil {
		return false
	}
	r.Observed = r.Observed && r.On
	r.On, r.asked = true, target
	return true
}

// Stop leaves a resource on the clients as it is there. It reports false for a type
// that is not registered.
func (s *Resources) Stop(t reflect.Type) bool {
	r := s.find(t)
	if r == nil {
		return false
	}
	r.On = false
	return true
}

func (s *Resources) find(t reflect.Type) *resource {
	for i := range s.List {
		if s.List[i].Info.Type == t {
			return &s.List[i]
		}
	}
	return nil
}

// Observe takes in what the replicated resources are now. It comes after the
// publisher's, so that entities of the same tick have their names.
func (s *Resources) Observe() {
	for i := range s.List {
		if r := &s.List[i]; r.On {
			s.observe(r)
			s.call(r)
			r.Observed, r.Target = true, r.asked
		}
	}
}

func (s *Resources) observe(r *resource) {
	v := s.world.Resources().Get(r.id)
	if v == nil {
		r.remove()
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

// remove takes in that the world has no such resource.
func (r *resource) remove() {
	if r.There {
		r.Version++
	}
	r.There, r.refused = false, 0
}

// call takes in who the entities in a value are to clients by now.
func (s *Resources) call(r *resource) {
	other := len(r.called) != len(r.refs)
	r.called, r.private = slices.Grow(r.called[:0], len(r.refs))[:len(r.refs)], false
	for i, e := range r.refs {
		now := called{slot: repl.NoSlot, name: noName}
		if slot, ok := s.publisher.Slot(e); ok {
			now.slot = slot
			if s.publisher.Common(slot) {
				now.name, _ = s.publisher.World().ID(slot)
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

// encode writes the value at hand into body and refs.
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

// ErrLargeResource is wrapped by what is said of a value that no message carries.
var ErrLargeResource = errors.New("plugin: a resource is too large; make two of it")

// resourceRoom is what stands before a resource's entities: its number, what it is,
// its tick, and how many entities follow.
const resourceRoom = 12

// same reports whether the value at hand is what was last sent.
func (s *Resources) same(r *resource, width int) bool {
	if !slices.Equal(s.refs.entities, r.refs) {
		return false
	}
	return width == r.width && bytes.Equal(s.body, r.body) || r.decoded[0] != nil && s.equal(r)
}

// equal compares values where the bytes say nothing.
func (s *Resources) equal(r *resource) bool {
	for i, body := range [][]byte{r.body, s.body} {
		var in bits.Reader
		in.Reset(body)
		if r.Info.Plan.DecodeAny(&in, r.decoded[i], &s.refs) != nil {
			return false
		}
	}
	return r.Info.Plan.EqualAny(r.decoded[0], r.decoded[1])
}

// refuse says, once for each value, that it can't be sent. The clients keep the one
// before.
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
