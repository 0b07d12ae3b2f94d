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

// RequestRule takes the options of a request.
type RequestRule[Q, A any] struct{ def *requestRule }

type requestRule struct {
	rule
	info             RequestInfo
	question, answer *codec
}

// Request registers a question that clients ask and the server answers. Q and A
// may hold what a message may.
func Request[Q, A any](p *Protocol) *RequestRule[Q, A] {
	q, a := reflect.TypeFor[Q](), reflect.TypeFor[A]()
	name := typeName(q) + " -> " + typeName(a)
	def := &requestRule{
		rule: rule{p: p, subject: KindRequest.String() + " " + name, given: map[string]bool{}, off: !p.admit(KindRequest, q, name)},
		info: RequestInfo{Name: name, question: q, answer: a},
	}
	if !def.off {
		p.requests = append(p.requests, def)
	}
	return &RequestRule[Q, A]{def}
}

// QuestionCodec replaces the built-in encoding of Q.
func (r *RequestRule[Q, A]) QuestionCodec(c Codec[Q]) *RequestRule[Q, A] {
	setCodec(&r.def.rule, "QuestionCodec", c, &r.def.question)
	return r
}

// AnswerCodec replaces the built-in encoding of A.
func (r *RequestRule[Q, A]) AnswerCodec(c Codec[A]) *RequestRule[Q, A] {
	setCodec(&r.def.rule, "AnswerCodec", c, &r.def.answer)
	return r
}

func (r *requestRule) finish(number int) {
	r.info.Number = number
	r.info.Question = r.p.plan(r.subject, r.info.question, true, r.question)
	r.info.Answer = r.p.plan(r.subject, r.info.answer, true, r.answer)
}

// Requests returns the registered requests by number.
func (p *Protocol) Requests() []*RequestInfo {
	p.build()
	infos := make([]*RequestInfo, len(p.requests))
	for i, r := range p.requests {
		infos[i] = &r.info
	}
	return infos
}

// RequestOf returns the registered request of two types, or nil.
func (p *Protocol) RequestOf(question, answer reflect.Type) *RequestInfo {
	p.build()
	for _, r := range p.requests {
		if r.info.question == question && r.info.answer == answer {
			return &r.info
		}
	}
	return nil
}
