package script

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Args are the words after a verb. Each method takes the first of the remaining words. Words that a
// verb does not take are an error of the script.
//
// The first word that is missing or wrong sets the error, and drops the others. Values that are taken
// afterwards mean nothing: a verb takes all of its words, and then does its work if Err is nil.
type Args struct {
	words []string
	err   error
}

var ErrMissing = errors.New("an argument is missing")

// Err returns the first error of the command.
func (a *Args) Err() error { return a.err }

// Fail ends the command with an error, unless it is nil or the command has failed before.
func (a *Args) Fail(err error) {
	if a.err == nil && err != nil {
		a.err, a.words = err, nil
	}
}

// Len returns the number of remaining words.
func (a *Args) Len() int { return len(a.words) }

// Word takes the next word, whatever it is.
func (a *Args) Word() string {
	if len(a.words) == 0 {
		a.Fail(ErrMissing)
		return ""
	}
	word := a.words[0]
	a.words = a.words[1:]
	return word
}

// Take takes the next word if it equals word, and reports whether it did.
func (a *Args) Take(word string) bool {
	if len(a.words) == 0 || a.words[0] != word {
		return false
	}
	a.words = a.words[1:]
	return true
}

// Rest takes all remaining words.
func (a *Args) Rest() []string {
	rest := a.words
	a.words = nil
	return rest
}

// Int takes a whole number, 0 or above.
func (a *Args) Int() int { return int(a.number(math.MaxInt)) }

// Int64 takes a whole number, 0 or above. It has 64 bits on every machine.
func (a *Args) Int64() int64 { return int64(a.number(math.MaxInt64)) }

func (a *Args) number(most uint64) uint64 {
	word := a.Word()
	n, err := strconv.ParseUint(strings.TrimPrefix(word, "+"), 10, 64)
	if err != nil || n > most {
		a.Fail(fmt.Errorf("%q is no number of 0 or above", word))
	}
	return n
}

// Signed takes a whole number with an optional sign, such as +300 or -20.
func (a *Args) Signed() int {
	word := a.Word()
	n, err := strconv.Atoi(word)
	if err != nil {
		a.Fail(fmt.Errorf("%q is no whole number", word))
	}
	return n
}

// Duration takes a duration such as 80ms, 0 or above.
func (a *Args) Duration() time.Duration {
	word := a.Word()
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		a.Fail(fmt.Errorf("%q is no duration of 0 or above, such as 80ms or 2s", word))
	}
	return d
}

// Percent takes a percentage such as 20% and returns it as 0..1.
func (a *Args) Percent() float64 {
	word := a.Word()
	number, ok := strings.CutSuffix(word, "%")
	share, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(share >= 0 && share <= 100) {
		a.Fail(fmt.Errorf("%q is no share of 0%% to 100%%", word))
	}
	return share / 100
}

// Clients takes a list of clients such as 1,3 and checks that each of them is in connected. If no
// words remain, or the next word is all, it returns connected.
func (a *Args) Clients(connected []int) (clients []int) {
	if a.err != nil {
		return nil
	}
	if len(a.words) == 0 || a.Take("all") {
		return connected
	}
	for name := range strings.SplitSeq(a.Word(), ",") {
		client, err := strconv.Atoi(name)
		if err != nil || !slices.Contains(connected, client) {
			a.Fail(NoSubject("%q is no client; there are %v", name, connected))
			return nil
		}
		clients = append(clients, client)
	}
	return clients
}

// NewArgs returns the arguments of these words.
func NewArgs(words []string) *Args { return &Args{words: words} }

func (v Verbs) names() string {
	return strings.Join(slices.Sorted(maps.Keys(v)), ", ")
}
