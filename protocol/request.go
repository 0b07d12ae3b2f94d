package protocol

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// RequestRule has methods that set the options of a request.
type RequestRule[Q, A any] struct{ def *requestRule }

type requestRule struct {
	rule
	info             registry.Request
	asked, answered  reflect.Type
	question, answer *wire.Codec
}

// Request registers a request Q that clients send and that the server answers with a response A. Q
// and A may have the same fields as a message.
func Request[Q, A any](p *Protocol) *RequestRule[Q, A] {
	q, a := reflect.TypeFor[Q](), reflect.TypeFor[A]()
	name := wire.TypeName(q) + " -> " + wire.TypeName(a)
	def := &requestRule{
		rule: rule{p: p, subject: registry.KindRequest.String() + " " + name, given: map[string]bool{}, off: !p.admit(registry.KindRequest, q, name)},
		info: registry.Request{Name: name}, asked: q, answered: a,
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
	r.info.Question = r.p.plan(r.subject, r.asked, true, r.question)
	r.info.Answer = r.p.plan(r.subject, r.answered, true, r.answer)
}
