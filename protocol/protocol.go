package protocol

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
)

// Config is the settings on which both sides must agree before anything is registered.
type Config struct {
	// Name is the name of the game, 1 to 64 bytes. Peers with different names cannot connect: the server
	// does not answer.
	Name string

	// TickRate is the number of fixed steps per second, 1 to 1000. 0 means
	// entangle.DefaultTickRate.
	TickRate int
}

// Limits of Config.
const (
	// MaxNameLength is the greatest length in bytes of the name of a game or channel, because names
	// are shown in lists and errors.
	MaxNameLength = 64

	// MaxTickRate is the greatest Config.TickRate. With a higher one, a step would be shorter than
	// timers and links can measure.
	MaxTickRate = 1000
)

// Protocol contains everything that both sides have registered. One goroutine fills it at set-up,
// the plugin seals it, and then many goroutines may read it.
type Protocol struct {
	registered
	config   Config
	mistakes []error // mistakes found while registering
	unfit    []error // mistakes found while making the registry
	built    bool
	taken    taken

	components []*componentRule
	curves     []*curveRule
	locals     []*registry.Local
	unsent     []reflect.Type
	inputs     []*inputRule
	messages   []*messageRule
	requests   []*requestRule
	resources  []*resourceRule
	channels   []*registry.Channel
	blueprints []*registry.Blueprint
	intents    []*registry.Intent
	parts      []*registry.Local // components of blueprints that are not registered
	registry   *registry.Registry
}

// taken is what is registered and can't be again.
type taken struct {
	types    map[registration]bool
	kinds    map[reflect.Type]registry.Kind // of types that live in the world
	worldly  int                            // how many of those types are the game's
	channels map[string]bool                // by name
}

// registered passes the registry to the packages of this module, which get it by registry.Of.
type registered = registry.Holder

// registration is a type with the kind as which it is registered.
type registration struct {
	kind registry.Kind
	name string
}

// New returns an empty protocol. Err reports mistakes in c.
func New(c Config) *Protocol {
	p := &Protocol{
		config: c, taken: taken{types: map[registration]bool{}, kinds: map[reflect.Type]registry.Kind{}, channels: map[string]bool{}},
	}
	p.registered = registry.NewHolder(func() (*registry.Registry, error) {
		err := p.Err()
		return p.registry, err
	})
	if c.Name == "" || len(c.Name) > MaxNameLength || !utf8.ValidString(c.Name) {
		p.fail(ErrConfig, "Config.Name", "%q is not a name of 1 to %d bytes: give your game one, it keeps other games' clients out", c.Name, MaxNameLength)
	}
	switch {
	case c.TickRate == 0:
		p.config.TickRate = entangle.DefaultTickRate
	case c.TickRate < 0 || c.TickRate > MaxTickRate:
		p.fail(ErrConfig, "Config.TickRate", "%d is not between 1 and %d steps per second: set it, or leave it 0 for %d", c.TickRate, MaxTickRate, entangle.DefaultTickRate)
	}
	return p
}

// Name returns the name of the game.
func (p *Protocol) Name() string { return p.config.Name }

// TickRate returns the number of fixed steps per second.
func (p *Protocol) TickRate() int { return p.config.TickRate }

// Hash returns a hash of everything that must be the same on both sides. It is equal on all
// machines for equal registrations, whatever their order.
func (p *Protocol) Hash() uint64 { return registry.Of(p).Hash }

// String returns a table of everything that is registered, with the greatest number of bits that a
// value takes on the wire.
func (p *Protocol) String() string { return registry.Of(p).String() }

// Err returns every mistake made so far, joined, or nil. Each is a *SetupError.
// A test that calls Err on a game's protocol finds them without running it.
func (p *Protocol) Err() error {
	p.build()
	return errors.Join(append(slices.Clone(p.mistakes), p.unfit...)...)
}

func (p *Protocol) fail(kind error, subject, format string, args ...any) {
	p.mistakes = append(p.mistakes, &SetupError{Kind: kind, Subject: subject, Problem: fmt.Sprintf(format, args...)})
}

// touch marks the registry as stale, and reports whether registering is
// still allowed.
func (p *Protocol) touch(subject string) bool {
	if registry.IsSealed(p) {
		p.fail(ErrSealed, subject, "registered after the protocol was sealed: register everything before you make a server or client, in code that both sides share")
		return false
	}
	p.built = false
	return true
}

// admit checks that a type may be registered as a kind, and records that it is.
func (p *Protocol) admit(kind registry.Kind, t reflect.Type, name string) bool {
	subject := kind.String() + " " + name
	if !p.touch(subject) {
		return false
	}
	if len(name) > registry.MaxEntryName {
		p.fail(ErrType, subject, "the name of the type has over %d bytes: give it a shorter one, or a shorter package path", registry.MaxEntryName)
		return false
	}
	key := registration{kind, name}
	if p.taken.types[key] {
		p.fail(ErrTwice, subject, "registered twice: keep one; if these are two types, they share one name, so rename one or move it out of its function")
		return false
	}
	p.taken.types[key] = true
	return p.admitBeside(kind, subject, name) && (!worldly(kind) || p.admitWorldly(kind, t, subject))
}

// admitBeside refuses an input that is also registered as a message or resource: its meaning
// depends on its tick, which only an input has.
func (p *Protocol) admitBeside(kind registry.Kind, subject, name string) bool {
	for _, other := range [...]registry.Kind{registry.KindMessage, registry.KindResource, registry.KindInput} {
		if other != kind && (kind == registry.KindInput || other == registry.KindInput) && p.taken.types[registration{other, name}] {
			p.fail(ErrOptions, subject, "already registered as %v: an input is nothing else; make a second type for the second purpose", other)
			return false
		}
	}
	return true
}

// admitWorldly is admit for types that become components of the world.
func (p *Protocol) admitWorldly(kind registry.Kind, t reflect.Type, subject string) bool {
	if other, ok := p.taken.kinds[t]; ok {
		p.fail(ErrOptions, subject, "already registered as %s: a type is either replicated, or local, or an input, or unsent; make a second type for the second purpose", other)
		return false
	}
	p.taken.kinds[t] = kind
	if !strings.HasPrefix(t.PkgPath(), ownPackage) {
		p.taken.worldly++
	}
	return true
}

// worldly reports whether types of a kind are components of the world.
func worldly(k registry.Kind) bool {
	return k == registry.KindComponent || k == registry.KindInput || k == registry.KindLocal || k == registry.KindUnsent
}

// ownPackage is the path prefix of this module's own component types, for which numbers are
// reserved.
const ownPackage = "github.com/entangle-ecs/entangle"

// byName sorts rules by name, so that both sides have the same numbers, whatever the order of
// registration.
func byName[R any](rules []R, name func(R) string) {
	slices.SortFunc(rules, func(a, b R) int { return strings.Compare(name(a), name(b)) })
}
