package protocol

import "reflect"

// RequestInfo is a registered request, for the plugin and for tools.
type RequestInfo struct {
	Number   int    // on the wire; dense from 0, in the order of names
	Name     string // of both types, with their package paths
	Question *Plan
	Answer   *Plan

	question, answer reflect.Type
}

// Request registers a question that clients ask and the server answers. Q and A
// may hold what a message may.
func Request[Q, A any](p *Protocol) {
	q, a := reflect.TypeFor[Q](), reflect.TypeFor[A]()
	name := typeName(q) + " -> " + typeName(a)
	if p.admit(KindRequest, q, name) {
		p.requests = append(p.requests, &RequestInfo{Name: name, question: q, answer: a})
	}
}

func (r *RequestInfo) finish(p *Protocol, number int) {
	subject := KindRequest.String() + " " + r.Name
	r.Number = number
	r.Question = p.plan(subject, r.question, true, nil, false)
	r.Answer = p.plan(subject, r.answer, true, nil, false)
}

// Requests returns the registered requests by number.
func (p *Protocol) Requests() []*RequestInfo {
	p.build()
	return append([]*RequestInfo(nil), p.requests...)
}

// RequestOf returns the registered request of two types, or nil.
func (p *Protocol) RequestOf(question, answer reflect.Type) *RequestInfo {
	p.build()
	for _, r := range p.requests {
		if r.question == question && r.answer == answer {
			return r
		}
	}
	return nil
}
