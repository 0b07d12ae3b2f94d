package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// rule is what all registrations that take options have in common.
type rule struct {
	p       *Protocol
	subject string
	off     bool // not registered, because of a mistake; options are ignored
	given   map[string]bool
}

func newRule(p *Protocol, kind registry.Kind, t reflect.Type) rule {
	name := wire.TypeName(t)
	return rule{p: p, subject: kind.String() + " " + name, given: map[string]bool{}, off: !p.admit(kind, t, name)}
}

// option notes that an option is given. It returns false if it is to be ignored:
// given twice, or too late.
func (r *rule) option(name string) bool {
	if r.off || !r.p.touch(r.subject+", "+name) {
		return false
	}
	if r.given[name] {
		r.fail(ErrTwice, "%s is given twice: keep one", name)
		return false
	}
	r.given[name] = true
	return true
}

func (r *rule) fail(kind error, format string, args ...any) {
	r.p.fail(kind, r.subject, format, args...)
}

// needs reports that an option was given without another that it makes no sense
// without.
func (r *rule) needs(option, other, why string) {
	if r.given[option] && !r.given[other] {
		r.unfit("%s is given without %s: %s", option, other, why)
	}
}

// unfit notes a contradiction found while putting things together; it may be
// gone the next time.
func (r *rule) unfit(format string, args ...any) {
	r.p.unfit = append(r.p.unfit, setupError(ErrOptions, r.subject, format, args...))
}
