package script

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// simpler returns simpler variants of a command, the biggest simplifications first. A command that
// another verb wraps, such as one that runs it later, may also run directly.
func simpler(words []string) (variants [][]string) {
	inner, parts := innerCommand(words)
	if inner > 0 {
		variants = append(variants, slices.Clone(words[inner:]))
	}
	for i := 1; i < len(words); i++ {
		if i >= parts {
			variants = append(variants, slices.Delete(slices.Clone(words), i, i+1))
		}
		for _, word := range lower(words[i]) {
			variant := slices.Clone(words)
			variant[i] = word
			variants = append(variants, variant)
		}
	}
	return variants
}

// innerCommand returns the word index at which the command that changes an entity begins, and the
// one at which its components begin.
func innerCommand(words []string) (inner, components int) {
	for i, word := range words {
		if word == "room" && (i == 0 || i == 2) { // otherwise room is the word of a target
			return i, len(words)
		}
		switch word {
		case "spawn", "insert", "remove", "set":
			return i, i + 2
		case "put", "take", "replicate":
			return i, len(words)
		case "despawn", "group", "target", "predict", "owner", "rate", "attach", "detach", "override", "persist",
			"relevance", "viewer", "gain", "lose", "forget":
			return i, len(words)
		}
	}
	return 0, len(words)
}

// lower returns lower values of a duration, percentage or number, and a component without its
// value.
func lower(word string) []string {
	if name, _, ok := strings.Cut(word, "="); ok {
		return []string{name}
	}
	if share, ok := strings.CutSuffix(word, "%"); ok {
		return append(lowerNumber(share, "%"), lowerFraction(share)...)
	}
	if d, err := time.ParseDuration(word); err == nil && d > 0 && word != "0" {
		return lowerDuration(d)
	}
	return lowerNumber(word, "")
}

func lowerDuration(d time.Duration) (words []string) {
	for _, l := range []time.Duration{0, d / 2, d * 3 / 4, d * 15 / 16} {
		if l = l.Round(time.Millisecond); l < d && !slices.Contains(words, l.String()) {
			words = append(words, l.String())
		}
	}
	return words
}

func lowerNumber(word, unit string) (words []string) {
	n, err := strconv.Atoi(word)
	if err != nil || n <= 0 {
		return nil
	}
	for _, l := range slices.Compact([]int{0, n / 2, n - 1}) {
		words = append(words, strconv.Itoa(l)+unit)
	}
	return words
}

// lowerFraction rounds a percentage down.
func lowerFraction(share string) []string {
	whole, _, ok := strings.Cut(share, ".")
	if !ok {
		return nil
	}
	return []string{whole + "%"}
}

// joined returns one run for two run commands.
func joined(a, b string) (string, bool) {
	x, ok := runOf(a)
	y, also := runOf(b)
	return "run " + (x + y).String(), ok && also
}

func runOf(step string) (time.Duration, bool) {
	words := strings.Fields(step)
	if len(words) != 2 || words[0] != "run" {
		return 0, false
	}
	d, err := time.ParseDuration(words[1])
	return d, err == nil
}
