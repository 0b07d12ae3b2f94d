package wire

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// fieldTag is a parsed `net:"..."` tag. It applies to the field and to all fields within it that
// have no tag of their own.
type fieldTag struct {
	text      string
	skip      bool // "-"
	event     bool
	angle     bool
	quat      bool
	low, high string // range=low..high
	step      string
	bits      int  // bits=, or 0
	max       int  // max=, or 0
	used      bool // a field was found that the tag applies to
}

// tagOf parses the tag of a field. For a field without one it returns around, the tag of the field
// around it.
func tagOf(field reflect.StructField, around *fieldTag) (*fieldTag, error) {
	text, ok := field.Tag.Lookup("net")
	if !ok {
		if strings.Contains(string(field.Tag), "net:") {
			return nil, fmt.Errorf("the tag `%s` is not in Go's form: write `net:\"range=0..1,step=0.1\"`, with quotes and without spaces before them", field.Tag)
		}
		return around, nil
	}
	t := &fieldTag{text: text}
	for _, option := range strings.Split(text, ",") {
		if err := t.parse(strings.TrimSpace(option)); err != nil {
			return nil, err
		}
	}
	return t, t.check()
}

func (t *fieldTag) parse(option string) error {
	name, value, _ := strings.Cut(option, "=")
	switch {
	case option == "-":
		return t.flag(&t.skip, option)
	case option == "event":
		return t.flag(&t.event, option)
	case option == "angle":
		return t.flag(&t.angle, option)
	case option == "quat":
		return t.flag(&t.quat, option)
	case name == "range":
		return t.parseRange(value)
	case name == "step":
		return t.text1(&t.step, name, value)
	case name == "bits":
		return t.number(&t.bits, name, value)
	case name == "max":
		return t.number(&t.max, name, value)
	}
	return fmt.Errorf("%q in the tag is not known: use range=low..high, step=, angle, quat, bits=, max=, event or -", option)
}

func (t *fieldTag) flag(field *bool, option string) error {
	if *field {
		return fmt.Errorf("%q stands twice in the tag: keep one", option)
	}
	*field = true
	return nil
}

func (t *fieldTag) text1(field *string, name, value string) error {
	if *field != "" {
		return fmt.Errorf("%s= stands twice in the tag: keep one", name)
	}
	if value == "" {
		return fmt.Errorf("%s= in the tag has no value", name)
	}
	*field = value
	return nil
}

func (t *fieldTag) number(field *int, name, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 || n > 1<<24 {
		return fmt.Errorf("%s=%s in the tag: write a whole number from 1 to %d", name, value, 1<<24)
	}
	if *field != 0 {
		return fmt.Errorf("%s= stands twice in the tag: keep one", name)
	}
	*field = n
	return nil
}

func (t *fieldTag) parseRange(value string) error {
	low, high, ok := strings.Cut(value, "..")
	if !ok || low == "" || high == "" {
		return fmt.Errorf("range=%s in the tag: write range=low..high, both limits included", value)
	}
	if t.low != "" {
		return fmt.Errorf("range= stands twice in the tag: keep one")
	}
	t.low, t.high = low, high
	return nil
}

func (t *fieldTag) hasRange() bool { return t.low != "" }

// check returns an error for options that contradict each other, whatever the type of the field is.
func (t *fieldTag) check() error {
	switch {
	case t.skip && t.text != "-":
		return fmt.Errorf("the tag %q: \"-\" stands alone, a field that is not sent has no other option", t.text)
	case t.angle && t.quat:
		return fmt.Errorf("the tag %q: a field is an angle or a quat, not both", t.text)
	case (t.angle || t.quat) && t.hasRange():
		return fmt.Errorf("the tag %q: angles and quats have a range of their own, leave out range=", t.text)
	case t.quat && t.step != "":
		return fmt.Errorf("the tag %q: choose a quat's precision by bits=, not step=", t.text)
	case t.angle && t.step != "" && t.bits != 0:
		return fmt.Errorf("the tag %q: choose an angle's precision by step= or bits=, not both", t.text)
	case t.bits != 0 && !t.angle && !t.quat:
		return fmt.Errorf("the tag %q: bits= goes with angle or quat; for numbers write range=, and step= for floats", t.text)
	case t.step != "" && !t.hasRange() && !t.angle:
		return fmt.Errorf("the tag %q: step= needs range=low..high beside it", t.text)
	}
	return nil
}

// forNumbers reports whether the tag determines how numbers are sent.
func (t *fieldTag) forNumbers() bool {
	return t != nil && (t.hasRange() || t.angle || t.quat)
}
