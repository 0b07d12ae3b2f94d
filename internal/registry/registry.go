package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
)

// Registry is all that both sides have registered. It is filled by package protocol, and its
// readers must not change it.
type Registry struct {
	Name     string // of the game
	TickRate int    // fixed steps per second

	// Components are the registered components by number, the inputs among them: an input is
	// a component too, see Component.Input.
	Components []*Component
	Locals     []*Local       // by name
	Unsent     []reflect.Type // by name
	Inputs     []*Input       // by number, as all that follow
	Messages   []*Message
	Requests   []*Request
	Resources  []*Resource
	Channels   []*Channel

	// Entries are all that both sides must have alike, by kind and number.
	Entries []Entry
}

// Holder gives a registry to the packages of this module and to no others: protocol.Protocol
// embeds one, and Of accepts nothing else.
type Holder struct {
	build  func() (*Registry, error)
	sealed bool
}

// NewHolder returns a holder of the registry that build returns. build must return the same
// registry until something else is registered.
func NewHolder(build func() (*Registry, error)) Holder { return Holder{build: build} }

func (h *Holder) held() *Holder { return h }

// Held is a *protocol.Protocol.
type Held interface{ held() *Holder }

// Of returns the registry of a protocol, mistakes or not. A registered type with a mistake may
// lack its plan.
func Of(p Held) *Registry {
	r, _ := p.held().build()
	return r
}

// Seal ends registration and returns all mistakes, joined, or nil. The plugin calls it
// when a server or client is made. To register anything later is a mistake that Protocol.Err
// reports.
func Seal(p Held) error {
	_, err := p.held().build()
	p.held().sealed = true
	return err
}

// IsSealed reports whether registration has ended.
func IsSealed(p Held) bool { return p.held().sealed }

// ComponentOf returns the registered component of a type, which may be an input, or nil.
func (r *Registry) ComponentOf(t reflect.Type) *Component {
	for _, c := range r.Components {
		if c.Type == t {
			return c
		}
	}
	return nil
}

// Hash returns the hash over all entries. It is equal on all machines for equal
// registrations, in whatever order they were made.
func (r *Registry) Hash() uint64 {
	h := sha256.New()
	for _, e := range r.Entries {
		fmt.Fprintf(h, "%d %d %q %016x %q\n", e.Kind, e.Number, e.Name, e.Hash, e.Options)
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
