package script

import (
	"errors"
	"fmt"
)

// subjectError is the error of a command that cannot act on its subject: an entity or client that
// does not exist, or a component that exists already.
type subjectError struct{ text string }

func (e *subjectError) Error() string { return e.text }

func NoSubject(format string, values ...any) error {
	return &subjectError{fmt.Sprintf(format, values...)}
}

// Lenient returns verbs that do nothing where the standard verbs fail because the subject of a
// command does not exist. With lenient verbs every subset of a script is a valid script, as Shrink
// requires. Unknown words are still errors.
func (v Verbs) Lenient() Verbs {
	lenient := make(Verbs, len(v))
	for name, verb := range v {
		lenient[name] = func(args *Args, trace *Trace) {
			verb(args, trace)
			if missing := (*subjectError)(nil); errors.As(args.err, &missing) {
				*args = Args{}
			}
		}
	}
	return lenient
}
