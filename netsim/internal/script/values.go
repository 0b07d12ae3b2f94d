package script

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mlange-42/arche/ecs"
)

var (
	entityType = reflect.TypeFor[ecs.Entity]()

	errFewValues  = errors.New("fewer values than it has fields")
	errManyValues = errors.New("more values than it has fields")
)

// maxRepeated is the maximum number of repetitions of a value, which is more than components have
// fields.
const maxRepeated = 1 << 16

// ParseValue sets the numbers, booleans, words and lists of a component or resource, field by field
// and element by element, from a list such as 1,2.5,true; or only the named fields, as in
// X:1,On:true. An entity is written as @name, or @ for none; 0*70 stands for 70 times 0. A list of
// variable length extends to the end of the values, or to the next named field.
func ParseValue(v reflect.Value, text string, names map[string]ecs.Entity) error {
	words, err := repeated(strings.Split(text, ","))
	if err != nil {
		return err
	}
	p := valueParser{words: words, names: names}
	if err := p.parse(v); err != nil {
		return err
	}
	if len(p.words) > 0 {
		return errManyValues
	}
	return nil
}

// repeated expands words such as 0*70.
func repeated(list []string) (words []string, err error) {
	for _, word := range list {
		word, times, ok := strings.Cut(word, "*")
		count := 1
		if ok {
			count, err = strconv.Atoi(times)
		}
		if err != nil || count < 1 || count > maxRepeated {
			return nil, fmt.Errorf("%q is no number of times from 1 to %d", times, maxRepeated)
		}
		words = append(words, slices.Repeat([]string{word}, count)...)
	}
	return words, nil
}

type valueParser struct {
	words []string
	names map[string]ecs.Entity
}

func (p *valueParser) parse(v reflect.Value) error {
	switch {
	case v.Type() == entityType:
		return p.parseEntity(v)
	case v.Kind() == reflect.Struct && p.named(v):
		return p.parseNamed(v)
	case v.Kind() == reflect.Struct:
		return p.parseEach(v.NumField(), v.Field)
	case v.Kind() == reflect.Array:
		return p.parseEach(v.Len(), v.Index)
	case v.Kind() == reflect.Slice:
		return p.parseSlice(v)
	case !v.CanSet():
		return errors.New("it has fields that are not exported; set them in code")
	default:
		return p.parseScalar(v)
	}
}

func (p *valueParser) parseEach(n int, at func(int) reflect.Value) error {
	for i := range n {
		if err := p.parse(at(i)); err != nil {
			return err
		}
	}
	return nil
}

// named reports whether the next word begins with the name of a field.
func (p *valueParser) named(v reflect.Value) bool {
	if len(p.words) == 0 {
		return false
	}
	name, _, ok := strings.Cut(p.words[0], ":")
	return ok && v.FieldByName(name).IsValid()
}

// parseNamed sets the fields that the words name.
func (p *valueParser) parseNamed(v reflect.Value) error {
	for p.named(v) {
		name, value, _ := strings.Cut(p.words[0], ":")
		p.words[0] = value
		if err := p.parse(v.FieldByName(name)); err != nil {
			return err
		}
	}
	return nil
}

func (p *valueParser) parseSlice(v reflect.Value) error {
	for len(p.words) > 0 && !strings.Contains(p.words[0], ":") {
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		if err := p.parse(v.Index(v.Len() - 1)); err != nil {
			return err
		}
	}
	return nil
}

func (p *valueParser) nextWord() (string, error) {
	if len(p.words) == 0 {
		return "", errFewValues
	}
	word := p.words[0]
	p.words = p.words[1:]
	return word, nil
}

func (p *valueParser) parseEntity(v reflect.Value) error {
	word, err := p.nextWord()
	if err != nil {
		return err
	}
	name, ok := strings.CutPrefix(word, "@")
	e, known := p.names[name]
	if !ok || name != "" && !known {
		return NoSubject("%q is no entity; write @ and the name it was spawned as, or @ for none", word)
	}
	v.Set(reflect.ValueOf(e))
	return nil
}

func (p *valueParser) parseScalar(v reflect.Value) error {
	word, err := p.nextWord()
	if err != nil {
		return err
	}
	bits := 64
	if v.Kind() != reflect.Bool && v.Kind() != reflect.String {
		bits = v.Type().Bits()
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(word)
	case v.CanInt():
		n, e := strconv.ParseInt(word, 10, bits)
		v.SetInt(n)
		err = e
	case v.CanUint():
		n, e := strconv.ParseUint(word, 10, bits)
		v.SetUint(n)
		err = e
	case v.CanFloat():
		f, e := strconv.ParseFloat(word, bits)
		v.SetFloat(f)
		err = e
	case v.Kind() == reflect.Bool:
		b, e := strconv.ParseBool(word)
		v.SetBool(b)
		err = e
	default:
		return fmt.Errorf("a %s cannot be written in a script", v.Type())
	}
	if err != nil {
		return fmt.Errorf("%q is no %s", word, v.Type())
	}
	return nil
}

// FormatValue formats a component in the syntax of ParseValue. Entities are written as numbers,
// since they may belong to another world.
func FormatValue(v reflect.Value) string {
	var words []string
	var add func(v reflect.Value)
	add = func(v reflect.Value) {
		switch {
		case v.Type() == entityType:
			words = append(words, "@"+strings.ReplaceAll(fmt.Sprint(v), " ", ":"))
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				add(v.Field(i))
			}
		case v.Kind() == reflect.Array, v.Kind() == reflect.Slice:
			for i := range v.Len() {
				add(v.Index(i))
			}
		default:
			words = append(words, fmt.Sprint(v))
		}
	}
	add(v)
	return strings.Join(words, ",")
}
