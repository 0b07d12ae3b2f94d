package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// rule is the part that all registrations with options have in common.
type rule struct {
	p       *Protocol
	subject string
	off     bool // not registered because of a mistake; options are ignored
	given   map[string]bool
}

func newRule(p *Protocol, kind registry.Kind, t reflect.Type) rule {
	name := wire.TypeName(t)
	return rule{p: p, subject: kind.String() + " " + name, given: map[string]bool{}, off: !p.admit(kind, t, name)}
}

// option records that an option is given. It returns false if the option is to be ignored, because
// it was given twice or too late.
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

// needs reports a mistake: an option was given without another one on which it depends.
func (r *rule) needs(option, other, why string) {
	if r.given[option] && !r.given[other] {
		r.unfit("%s is given without %s: %s", option, other, why)
	}
}

// unfit records a contradiction found while making the registry. It may be gone the next time.
func (r *rule) unfit(format string, args ...any) {
	r.p.unfit = append(r.p.unfit, setupError(ErrOptions, r.subject, format, args...))
}
