package registry

import "reflect"

// Registry is what a game has registered. Package protocol fills it, and its readers must not
// change it.
type Registry struct {
	Name     string // of the game
	TickRate int    // fixed steps per second

	// Components are the registered components by number. They include the inputs, because an input
	// is a component too; see Component.Input.
	Components []*Component
	Locals     []*Local       // by name
	Blueprints []*Blueprint   // by name of the component
	Intents    []*Intent      // by the names of input and blueprint
	Unsent     []reflect.Type // by name
	Inputs     []*Input       // by number, like the lists below
	Messages   []*Message
	Requests   []*Request
	Resources  []*Resource
	Channels   []*Channel

	// Entries list what must be the same on both sides, by kind and number.
	Entries []Entry

	// Hash is the hash of all entries. For equal registrations it is equal on all machines, in whatever
	// order they were made.
	Hash uint64
}

// Holder makes a registry accessible to the packages of this module only. protocol.Protocol embeds
// one, and Of accepts no other type.
type Holder struct {
	build  func() (*Registry, error)
	sealed bool
}

// NewHolder returns a holder of the registry that build returns. build must return the same
// registry until something more is registered.
func NewHolder(build func() (*Registry, error)) Holder { return Holder{build: build} }

func (h *Holder) held() *Holder { return h }

// Held is implemented by *protocol.Protocol.
type Held interface{ held() *Holder }

// Of returns the registry of a protocol, even if there were mistakes in the registration. A type
// with a mistake may have no plan.
func Of(p Held) *Registry {
	r, _ := p.held().build()
	return r
}

// Seal ends registration. It returns the joined errors of all mistakes, or nil. The plugin calls it
// when a server or client is created. Later registrations are mistakes that Protocol.Err reports.
func Seal(p Held) error {
	_, err := p.held().build()
	p.held().sealed = true
	return err
}

// IsSealed reports whether registration has ended.
func IsSealed(p Held) bool { return p.held().sealed }

// ComponentOf returns the registered component of a type, which may be an input. It returns nil if
// the type is not registered.
func (r *Registry) ComponentOf(t reflect.Type) *Component {
	for _, c := range r.Components {
		if c.Type == t {
			return c
		}
	}
	return nil
}
