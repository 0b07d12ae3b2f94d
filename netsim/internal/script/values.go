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
	p := valueParser{Args: Args{words: words}, names: names}
	p.parse(v)
	if len(p.words) > 0 {
		p.Fail(errManyValues)
	}
	return p.err
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
	Args
	names map[string]ecs.Entity
}

func (p *valueParser) parse(v reflect.Value) {
	switch {
	case v.Type() == entityType:
		p.parseEntity(v)
	case v.Kind() == reflect.Struct && p.named(v):
		p.parseNamed(v)
	case v.Kind() == reflect.Struct:
		p.parseEach(v.NumField(), v.Field)
	case v.Kind() == reflect.Array:
		p.parseEach(v.Len(), v.Index)
	case v.Kind() == reflect.Slice:
		p.parseSlice(v)
	case !v.CanSet():
		p.Fail(errors.New("it has fields that are not exported; set them in code"))
	default:
		p.parseScalar(v)
	}
}

func (p *valueParser) parseEach(n int, at func(int) reflect.Value) {
	for i := range n {
		p.parse(at(i))
	}
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
func (p *valueParser) parseNamed(v reflect.Value) {
	for p.named(v) {
		name, value, _ := strings.Cut(p.words[0], ":")
		p.words[0] = value
		p.parse(v.FieldByName(name))
	}
}

func (p *valueParser) parseSlice(v reflect.Value) {
	for len(p.words) > 0 && !strings.Contains(p.words[0], ":") {
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		p.parse(v.Index(v.Len() - 1))
	}
}

func (p *valueParser) nextWord() string {
	if len(p.words) == 0 {
		p.Fail(errFewValues)
	}
	return p.Word()
}

func (p *valueParser) parseEntity(v reflect.Value) {
	word := p.nextWord()
	name, ok := strings.CutPrefix(word, "@")
	e, known := p.names[name]
	if !ok || name != "" && !known {
		p.Fail(NoSubject("%q is no entity; write @ and the name it was spawned as, or @ for none", word))
		return
	}
	v.Set(reflect.ValueOf(e))
}

func (p *valueParser) parseScalar(v reflect.Value) {
	word, bits, err := p.nextWord(), 64, error(nil)
	if v.CanInt() || v.CanUint() || v.CanFloat() {
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
		p.Fail(fmt.Errorf("a %s cannot be written in a script", v.Type()))
	}
	if err != nil {
		p.Fail(fmt.Errorf("%q is no %s", word, v.Type()))
	}
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
