package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// maxOverAnchors is how much slower than the sum of its anchors a limit may be
// that does nothing else.
const maxOverAnchors = 1.3

// rounds is how often each side of a variant runs: enough for a median that moves
// by a few per cent, and few enough for all cases in some seconds.
const (
	rounds      = 300
	shortRounds = 3
	warmRounds  = 30
)

// variant is one line of the output.
type variant struct {
	name    string
	goal    float64       // largest good ratio; 0: reported only
	atLeast bool          // the ratio is one of rates, and the goal the smallest good one
	unit    string        // of the figure that stands in the place of the ratio, if one does
	page    string        // in docs, where its row is; empty: COSTS.md
	workers int           // GOMAXPROCS; 0: one
	rounds  int           // 0: the usual number
	warm    int           // rounds before, for what grows with the first losses, or as who is seen changes; 0: the usual number
	heavy   bool          // takes a minute under the race detector
	missing func() string // says what is needed and not there, or nothing; may be nil
	prepare func() (sides, error)
	quick   func() (sides, error) // prepares less of the same, for one quick round; nil: prepare
}

// sides is a variant that is ready to run. Ours and limit do the same work and are
// timed; the others are not.
type sides struct {
	ours, limit func()
	before      func() // changes the state for both sides alike; may be nil
	verify      func() error
	bytes       func() int            // produced by the last run of ours
	sizes       func() map[string]int // bytes of others, for comparison
	figure      func() float64        // what the goal is about, if not the ratio in time
	figures     func() map[string]float64
	anchors     []anchor
	anchored    bool // the limit is nothing but its anchors
	ordered     bool // the limit goes on with what ours has done, and so comes second
	close       func()
}

// anchor is a call of the standard library that the limit is made of.
type anchor struct {
	name string
	run  func()
}

// result is one line, as printed with -json.
type result struct {
	Name    string             `json:"name"`
	OursNs  float64            `json:"ours_ns"`
	LimitNs float64            `json:"limit_ns"`
	Ratio   float64            `json:"ratio"`
	Allocs  float64            `json:"allocs"`
	Bytes   int                `json:"bytes"`
	Goal    float64            `json:"goal"`
	Unit    string             `json:"unit,omitempty"`
	Anchors map[string]float64 `json:"anchors,omitempty"`
	Sizes   map[string]int     `json:"sizes,omitempty"`
	Figures map[string]float64 `json:"figures,omitempty"`

	atLeast bool
}

// missed reports whether the goal was not reached.
func (r *result) missed() bool {
	if r.Goal == 0 {
		return false
	}
	if r.atLeast {
		return r.Ratio < r.Goal
	}
	return r.Ratio > r.Goal || r.Allocs > 0
}

// left says why a variant cannot run here, or nothing.
func (v *variant) left() string {
	if v.missing == nil {
		return ""
	}
	return v.missing()
}

// prepared makes a variant ready.
func (v *variant) prepared(short bool) (sides, error) {
	if short && v.quick != nil {
		return v.quick()
	}
	return v.prepare()
}

// run measures one variant.
func (v *variant) run(short bool) (result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(1, v.workers)))
	s, err := v.prepared(short)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", v.name, err)
	}
	if s.close != nil {
		defer s.close()
	}
	n, warm := rounds, warmRounds
	if v.rounds > 0 {
		n, warm = v.rounds, 1
	}
	if short {
		n, warm = shortRounds, 1
	}
	s.turns(max(warm, v.warm))
	r := s.measure(n)
	r.Name, r.Goal, r.Unit, r.atLeast = v.name, v.goal, v.unit, v.atLeast
	r.Allocs = s.allocations(min(n, 20))
	r.Ratio = s.ratio(&r)
	if s.verify != nil {
		if err := s.verify(); err != nil {
			return r, fmt.Errorf("%s: the two sides do not do the same work: %w", v.name, err)
		}
	}
	return r, s.checkAnchors(v.name, &r, short)
}

// ratio is what the goal is about.
func (s *sides) ratio(r *result) float64 {
	switch {
	case s.figure != nil:
		return s.figure()
	case r.atLeast:
		return r.LimitNs / r.OursNs
	}
	return r.OursNs / r.LimitNs
}

// turns runs both sides without measuring.
func (s *sides) turns(n int) {
	for range n {
		s.change()
		s.ours()
		s.limit()
	}
}

func (s *sides) change() {
	if s.before != nil {
		s.before()
	}
}

// measure lets the sides take turns; who is first alternates, since the second
// finds warmer caches and a hotter processor.
func (s *sides) measure(n int) result {
	ours, limit := make([]float64, 0, n), make([]float64, 0, n)
	anchors := make([][]float64, len(s.anchors))
	runtime.GC()
	for round := range n {
		s.change()
		if round%2 == 0 || s.ordered {
			ours = append(ours, clock(s.ours))
			limit = append(limit, clock(s.limit))
		} else {
			limit = append(limit, clock(s.limit))
			ours = append(ours, clock(s.ours))
		}
		for i := range s.anchors {
			anchors[i] = append(anchors[i], clock(s.anchors[i].run))
		}
	}
	r := result{OursNs: median(ours), LimitNs: median(limit), Anchors: map[string]float64{}}
	for i, a := range s.anchors {
		r.Anchors[a.name] = median(anchors[i])
	}
	if s.bytes != nil {
		r.Bytes = s.bytes()
	}
	if s.sizes != nil {
		r.Sizes = s.sizes()
	}
	if s.figures != nil {
		r.Figures = s.figures()
	}
	return r
}

// allocations returns the number of allocations of one run of ours. The garbage collector is
// off meanwhile, since what it takes from a sync.Pool would be allocated again.
func (s *sides) allocations(n int) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	var sum uint64
	for range n {
		s.change()
		runtime.ReadMemStats(&before)
		s.ours()
		runtime.ReadMemStats(&after)
		s.limit()
		sum += after.Mallocs - before.Mallocs
	}
	return float64(sum) / float64(n)
}

func (s *sides) checkAnchors(name string, r *result, short bool) error {
	if !s.anchored || short {
		return nil
	}
	var sum float64
	for _, ns := range r.Anchors {
		sum += ns
	}
	if r.LimitNs > maxOverAnchors*sum {
		return fmt.Errorf("%s: the limit takes %.0f ns, more than %.1f times the %.0f ns of its anchors: write a better limit",
			name, r.LimitNs, maxOverAnchors, sum)
	}
	return nil
}

func clock(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start))
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// print writes one line, as JSON or as a row of the table.
func (r *result) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	goal := "reported"
	switch {
	case r.Goal != 0 && r.atLeast:
		goal = fmt.Sprintf(">= %.2f", r.Goal)
	case r.Goal != 0:
		goal = fmt.Sprintf("<= %.2f", r.Goal)
	}
	if r.Unit != "" {
		goal += " " + r.Unit
	}
	if r.missed() {
		goal += "  MISSED"
	}
	for name, n := range r.Sizes {
		goal += fmt.Sprintf("  (%s: %d bytes)", name, n)
	}
	_, err := fmt.Fprintf(w, "%-28s %12.0f %12.0f %7.2f %8.1f %9d  %s\n",
		r.Name, r.OursNs, r.LimitNs, r.Ratio, r.Allocs, r.Bytes, goal)
	return err
}
