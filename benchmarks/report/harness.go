package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// maxOverAnchors is how many times the sum of its anchors a limit may take, if it does nothing
// else.
const maxOverAnchors = 1.3

// Rounds is how often each side of a variant runs: enough for a median that moves
// by a few per cent, and few enough for all cases in some seconds.
const (
	Rounds      = 300
	shortRounds = 3
	warmRounds  = 30
)

// Variant is one line of the output.
type Variant struct {
	Name    string
	Goal    float64       // largest good ratio; 0 if the variant only reports
	AtLeast bool          // the ratio compares rates, and Goal is the smallest good one
	Unit    string        // unit of the figure that takes the place of the ratio; empty for ratios
	Page    string        // page in docs that has the row of the variant; empty: COSTS.md
	Workers int           // GOMAXPROCS; 0: one
	Rounds  int           // 0: the usual number
	Warm    int           // rounds before the measurement, for memory that grows with the first losses or with visibility; 0: the usual number
	Heavy   bool          // takes too long under the race detector: a minute
	Grows   bool          // an operation is no tick in steady state, so that ours may allocate
	Missing func() string // returns a missing prerequisite, or ""; may be nil
	Prepare func() (Sides, error)
	Quick   func() (Sides, error) // prepares less of the same work, for one quick round; nil: Prepare
}

// Sides is a variant that is ready to run. Ours and Limit do the same work and are timed. The other
// functions are not timed.
type Sides struct {
	Ours, Limit func()
	Before      func()      // changes the state for both sides alike; may be nil
	Between     func() bool // what others do after a part of an operation of ours, untimed; reports whether another part follows; nil: there is one part
	Verify      func() error
	Bytes       func() int            // bytes that the last run of ours produced for the wire
	Sizes       func() map[string]int // bytes of other encodings, for comparison
	Figure      func() float64        // the figure that the goal is about; nil: the ratio of times
	Figures     func() map[string]float64
	Anchors     []Anchor
	Anchored    bool // the limit consists of its anchors only
	Ordered     bool // the limit continues with what ours has done, so it always runs second
	AllThreads  bool // times are the processor time of the whole process: a goroutine shares the work
	Close       func()
}

// Anchor is a call of the standard library that the limit is made of.
type Anchor struct {
	Name string
	Run  func()
}

// Result is one line of the output, as printed with -json.
type Result struct {
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

	AtLeast bool
	Grows   bool `json:"grows,omitempty"`
}

// Missed reports whether the goal was not reached.
func (r *Result) Missed() bool {
	if r.Goal == 0 {
		return false
	}
	if r.AtLeast {
		return r.Ratio < r.Goal
	}
	return r.Ratio > r.Goal || r.Allocs > 0 && !r.Grows
}

// Left says why a variant cannot run here, or returns "" if it can.
func (v *Variant) Left() string {
	if v.Missing == nil {
		return ""
	}
	return v.Missing()
}

// prepared makes a variant ready.
func (v *Variant) prepared(short bool) (Sides, error) {
	if short && v.Quick != nil {
		return v.Quick()
	}
	return v.Prepare()
}

// Run measures one variant.
func (v *Variant) Run(short bool) (Result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(1, v.Workers)))
	s, err := v.prepared(short)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", v.Name, err)
	}
	if s.Close != nil {
		defer s.Close()
	}
	n, warm := Rounds, warmRounds
	if v.Rounds > 0 {
		n, warm = v.Rounds, 1
	}
	if short {
		n, warm = shortRounds, 1
	}
	s.Turns(max(warm, v.Warm))
	r := s.Measure(n)
	r.Name, r.Goal, r.Unit, r.AtLeast, r.Grows = v.Name, v.Goal, v.Unit, v.AtLeast, v.Grows
	r.Allocs = s.allocations(min(n, 20))
	r.Ratio = s.ratio(&r)
	if s.Verify != nil {
		if err := s.Verify(); err != nil {
			return r, fmt.Errorf("%s: the two sides do not do the same work: %w", v.Name, err)
		}
	}
	return r, s.CheckAnchors(v.Name, &r, short)
}

// ratio returns the value that the goal is about.
func (s *Sides) ratio(r *Result) float64 {
	switch {
	case s.Figure != nil:
		return s.Figure()
	case r.AtLeast:
		return r.LimitNs / r.OursNs
	}
	return r.OursNs / r.LimitNs
}

// Turns runs both sides without measuring.
func (s *Sides) Turns(n int) {
	for range n {
		s.change()
		s.ours(func(part func()) { part() })
		s.Limit()
	}
}

// ours runs an operation of ours, each part of it in measure.
func (s *Sides) ours(measure func(part func())) {
	measure(s.Ours)
	for s.Between != nil && s.Between() {
		measure(s.Ours)
	}
}

// clockOurs returns the nanoseconds of an operation of ours.
func (s *Sides) clockOurs() (ns float64) {
	s.ours(func(part func()) { ns += s.clock(part) })
	return ns
}

// clock returns the nanoseconds that a part of an operation takes.
func (s *Sides) clock(f func()) float64 {
	if !s.AllThreads {
		return Clock(f)
	}
	start := processTime()
	f()
	return float64(processTime() - start)
}

func (s *Sides) change() {
	if s.Before != nil {
		s.Before()
	}
}

// Measure lets the sides take turns; the first side alternates, since the second finds warmer
// caches and a hotter processor.
func (s *Sides) Measure(n int) Result {
	ours, limit := make([]float64, 0, n), make([]float64, 0, n)
	anchors := make([][]float64, len(s.Anchors))
	runtime.GC()
	if s.AllThreads { // or the garbage of others would be collected in the measured time
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	}
	for round := range n {
		s.change()
		if round%2 == 0 || s.Ordered {
			ours = append(ours, s.clockOurs())
			limit = append(limit, s.clock(s.Limit))
		} else {
			limit = append(limit, s.clock(s.Limit))
			ours = append(ours, s.clockOurs())
		}
		for i := range s.Anchors {
			anchors[i] = append(anchors[i], Clock(s.Anchors[i].Run))
		}
	}
	r := Result{OursNs: Median(ours), LimitNs: Median(limit), Anchors: map[string]float64{}}
	for i, a := range s.Anchors {
		r.Anchors[a.Name] = Median(anchors[i])
	}
	if s.Bytes != nil {
		r.Bytes = s.Bytes()
	}
	if s.Sizes != nil {
		r.Sizes = s.Sizes()
	}
	if s.Figures != nil {
		r.Figures = s.Figures()
	}
	return r
}

// allocations returns the number of allocations of one run of ours. Meanwhile the garbage collector
// is off, since values that it drops from a sync.Pool would be allocated again.
func (s *Sides) allocations(n int) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	var sum uint64
	for range n {
		s.change()
		s.ours(func(part func()) {
			runtime.ReadMemStats(&before)
			part()
			runtime.ReadMemStats(&after)
			sum += after.Mallocs - before.Mallocs
		})
		s.Limit()
	}
	return float64(sum) / float64(n)
}

func (s *Sides) CheckAnchors(name string, r *Result, short bool) error {
	if !s.Anchored || short {
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

// Clock returns the nanoseconds that a function takes: processor time of the thread, or with several
// workers the time that passes.
func Clock(f func()) float64 {
	if runtime.GOMAXPROCS(0) > 1 {
		start := time.Now()
		f()
		return float64(time.Since(start))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	f()
	return float64(threadTime() - start - readingTime)
}

// readingTime is what reading the thread's time adds to a measured time.
var readingTime = func() time.Duration {
	least := time.Second
	for range 100 {
		start := threadTime()
		least = min(least, threadTime()-start)
	}
	return least
}()

func Median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// Print writes one line, as JSON or as a row of the table.
func (r *Result) Print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	goal := "reported"
	switch {
	case r.Goal != 0 && r.AtLeast:
		goal = fmt.Sprintf(">= %.2f", r.Goal)
	case r.Goal != 0:
		goal = fmt.Sprintf("<= %.2f", r.Goal)
	}
	if r.Unit != "" {
		goal += " " + r.Unit
	}
	if r.Missed() {
		goal += "  MISSED"
	}
	for name, n := range r.Sizes {
		goal += fmt.Sprintf("  (%s: %d bytes)", name, n)
	}
	_, err := fmt.Fprintf(w, "%-28s %12.0f %12.0f %7.2f %8.1f %9d  %s\n",
		r.Name, r.OursNs, r.LimitNs, r.Ratio, r.Allocs, r.Bytes, goal)
	return err
}

// Chosen picks about percent % of all numbers, scattered, and others in every round.
func Chosen(number, round, percent int) bool {
	return int((uint32(number)*2654435761+uint32(round)*40503)>>8)%100 < percent
}

func Count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}
