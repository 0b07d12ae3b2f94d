package script

import (
	"slices"
	"strings"
)

// Shrink returns the shortest list of steps that it finds for which fails still returns true,
// within the given number of attempts. Steps are commands of scripts, of which every subset must be
// runnable: see Verbs.Lenient. It drops steps, first half of them at once, then fewer and fewer; it
// removes clients and renumbers the others; it joins runs, shortens durations, lowers percentages
// and numbers, and drops components and their values.
//
// fails must be deterministic, and true for the given steps. It may require that the failure is the
// same one, so that Shrink does not continue with another failure.
func Shrink(steps []string, attempts int, fails func(steps []string) bool) []string {
	s := &shrinker{steps: slices.Clone(steps), left: attempts, fails: fails}
	for progress := true; progress && s.left > 0; {
		progress = s.dropSteps()
		progress = s.leaveOut() || progress
		progress = s.joinRuns() || progress
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

// try adopts other steps if they also fail.
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

// dropSteps removes all ranges of steps that it can, long ranges first. It starts from the end, which
// removes the steps after the failure at once.
func (s *shrinker) dropSteps() (progress bool) {
	for size := max(1, len(s.steps)/2); size > 0; size /= 2 {
		for end := len(s.steps); end > 0; end -= size {
			from := max(0, end-size)
			progress = s.try(slices.Concat(s.steps[:from], s.steps[end:])) || progress
		}
	}
	return progress
}

// leaveOut removes clients.
func (s *shrinker) leaveOut() (progress bool) {
	for client := countClients(s.steps); client > 0; client-- {
		progress = s.try(withoutClient(s.steps, client)) || progress
	}
	return progress
}

// joinRuns merges two consecutive runs into one.
func (s *shrinker) joinRuns() (progress bool) {
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

// simplify replaces steps by simpler ones, each until no simpler variant fails.
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
