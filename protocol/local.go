package protocol

import "reflect"

// LocalInfo is a component that is rolled back and never sent.
type LocalInfo struct {
	Name string // of the type, with its package path
	Type reflect.Type
}

// Local registers T to be part of rollback on a client that predicts: its values
// are kept per tick and restored. It is never sent, and the other side need not
// register it. T must not hold Go pointers.
func Local[T any](p *Protocol) {
	t := reflect.TypeFor[T]()
	if r := newRule(p, KindLocal, t); !r.off {
		p.locals = append(p.locals, &LocalInfo{Name: typeName(t), Type: t})
	}
}

// Locals returns the registered local components, sorted by name.
func (p *Protocol) Locals() []*LocalInfo {
	p.build()
	return append([]*LocalInfo(nil), p.locals...)
}

// finishLocal refuses pointers, which Arche and histories copy as bytes.
func (p *Protocol) finishLocal(l *LocalInfo) {
	subject := KindLocal.String() + " " + l.Name
	if path, pointer := findPointer(l.Type, ""); pointer != nil {
		c := compiler{subject: subject}
		c.refusePointer(pointer, path)
		p.unfit = append(p.unfit, c.errs...)
	}
}
