package wire

import (
	"errors"
	"reflect"
	"slices"
)

// ComponentPlan returns the plan that Component and Input use for T, which must not contain
// pointers, text or slices. The error joins one TypeError for each field that cannot be sent.
func ComponentPlan[T any]() (*Plan, error) {
	return Compile(reflect.TypeFor[T](), false, "component "+TypeName(reflect.TypeFor[T]()))
}

// ValuePlan returns the plan that Message, Request and Resource use for T, which may contain text
// and slices.
func ValuePlan[T any]() (*Plan, error) {
	return Compile(reflect.TypeFor[T](), true, "message "+TypeName(reflect.TypeFor[T]()))
}

// PresencePlan returns the plan of a component that is sent without its value.
func PresencePlan(t reflect.Type) *Plan {
	return &Plan{typ: t, exact: true, describe: "presence"}
}

// TypeName returns the name of a type with its package path, which is the same on all machines.
func TypeName(t reflect.Type) string {
	if t.Name() == "" || t.PkgPath() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

func Compile(t reflect.Type, values bool, subject string) (*Plan, error) {
	c := compiler{subject: subject, values: values, open: []reflect.Type{t}}
	if !littleEndian() {
		c.fail(ErrType, "", "this machine is big-endian, which values in memory may not be: run on amd64, arm64, 386, arm or wasm")
	}
	c.compileAt(t, 0, "", nil)
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	return newPlan(t, &c), nil
}

func newPlan(t reflect.Type, c *compiler) *Plan {
	p := &Plan{
		typ: t, size: int(t.Size()), memory: int(t.Size()), ops: lower(c.ops), fields: withFuncs(c.fields),
		describe: c.describe.String(), events: c.events, skipped: c.skipped, refs: c.refs, lists: hasLists(c.ops),
	}
	if _, pointer := FindPointer(t, ""); pointer != nil {
		p.memory = -1
	}
	p.usual = canBeUsual(p.fields)
	p.maxBits = maxBits(p.ops)
	p.exact = isExact(p.ops, p.size)
	p.rounds = canRound(p.ops)
	p.parts = partsOf(p.ops)
	return p
}

// isExact reports whether the ops send every byte of a value unchanged.
func isExact(ops []op, size int) bool {
	for i := range ops {
		switch ops[i].kind {
		case opRaw, opBool, opWhole, opRef:
			size -= int(ops[i].span())
		case opRepeat:
			if !isExact(ops[i].body, int(ops[i].step)) {
				return false
			}
			size -= int(ops[i].span())
		default:
			return false
		}
	}
	return size == 0
}

func canRound(ops []op) bool {
	return slices.ContainsFunc(ops, func(o op) bool {
		if o.kind == opRepeat {
			return canRound(o.body)
		}
		return o.round != nil
	})
}
