package netsim

import (
	"errors"
	"fmt"
)

// subjectError is what a command ends with that has nobody to act on: an entity or
// client that is not there, or a component that is there already.
type subjectError struct{ text string }

func (e *subjectError) Error() string { return e.text }

func noSubject(format string, values ...any) error {
	return &subjectError{fmt.Sprintf(format, values...)}
}

// Lenient returns verbs that do nothing where the standard ones complain that what
// they are to act on is not there. With them every part of a script is a script,
// as Shrink needs it. Words that nobody understands are still errors.
func (v Verbs) Lenient() Verbs {
	lenient := make(Verbs, len(v))
	for name, verb := range v {
		lenient[name] = func(args *Args, trace *Trace) error {
			err := verb(args, trace)
			if missing := (*subjectError)(nil); errors.As(err, &missing) {
				args.Rest()
				return nil
			}
			return err
		}
	}
	return lenient
}
