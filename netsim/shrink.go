package netsim

import (
	"slices"
	"strings"
)

// Shrink returns the shortest list of steps that it finds for which fails is still
// true, in at most so many attempts. Steps are commands of scripts, of which every
// part can be run: see Verbs.Lenient. It drops steps, half of them at once, then
// ever fewer; it leaves out clients, and numbers the others anew; it joins runs,
// shortens durations, lowers shares and numbers, and drops components and their
// values.
//
// fails must give the same answer every time, and true for the steps given. It may
// ask that the failure is the same one: another one is no reason to go on.
func Shrink(steps []string, attempts int, fails func(steps []string) bool) []string {
	s := &shrinker{steps: slices.Clone(steps), left: attempts, fails: fails}
	for progress := true; progress && s.left > 0; {
		progress = s.drop()
		progress = s.leaveOut() || progress
		progress = s.join() || progress
		progress = s.simplify() || progress
	}
	return s.steps
}

// shrinker holds the shortest failing steps so far.
type shrinker struct {
	steps []string
	left  int
	fails func(steps []string) bool
}

// try takes other steps if they fail as well.
func (s *shrinker) try(steps []string) bool {
	if s.left == 0 || slices.Equal(steps, s.steps) {
		return false
	}
	s.left--
	if !s.fails(slices.Clone(steps)) {
		return false
	}
	s.steps = steps
	return true
}

// drop leaves out all stretches of steps that it can, the long ones first. The
// last come first: what happened after the failure is gone at once.
func (s *shrinker) drop() (progress bool) {
	for size := max(1, len(s.steps)/2); size > 0; size /= 2 {
		for end := len(s.steps); end > 0; end -= size {
			from := max(0, end-size)
			progress = s.try(slices.Concat(s.steps[:from], s.steps[end:])) || progress
		}
	}
	return progress
}

// leaveOut leaves out clients.
func (s *shrinker) leaveOut() (progress bool) {
	for client := countClients(s.steps); client > 0; client-- {
		progress = s.try(withoutClient(s.steps, client)) || progress
	}
	return progress
}

// join makes one run of two that follow each other.
func (s *shrinker) join() (progress bool) {
	for i := len(s.steps) - 2; i >= 0; i-- {
		if i+1 >= len(s.steps) {
			continue
		}
		if both, ok := joined(s.steps[i], s.steps[i+1]); ok {
			progress = s.try(slices.Concat(s.steps[:i], []string{both}, s.steps[i+2:])) || progress
		}
	}
	return progress
}

// simplify replaces steps by simpler ones, each until nothing simpler fails.
func (s *shrinker) simplify() (progress bool) {
	for i := 0; i < len(s.steps); i++ {
		for s.simplifyStep(i) {
			progress = true
		}
	}
	return progress
}

func (s *shrinker) simplifyStep(i int) bool {
	for _, words := range simpler(strings.Fields(s.steps[i])) {
		step := strings.Join(words, " ")
		if s.try(slices.Concat(s.steps[:i], []string{step}, s.steps[i+1:])) {
			return true
		}
	}
	return false
}
