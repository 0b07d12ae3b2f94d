package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/entangle-ecs/entangle/benchmarks/cases"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// options are the command line's flags.
type options struct {
	run   string
	turns int
	json  bool
}

func main() {
	var o options
	flag.StringVar(&o.run, "run", "", "run scenarios whose name begins with this; empty: all")
	flag.IntVar(&o.turns, "turns", 5, "how often each side runs a scenario")
	flag.BoolVar(&o.json, "json", false, "print a line of JSON for each scenario, turn and side, instead of a table")
	flag.Parse()
	if err := start(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// start runs what the options ask for.
func start(o options, w io.Writer) error {
	if o.turns < 1 {
		return fmt.Errorf("peers: %d turns are too few", o.turns)
	}
	program, err := build()
	if err != nil {
		return err
	}
	var pairs []pair
	for _, v := range cases.Peers() {
		if !strings.HasPrefix(v.Name, o.run) {
			continue
		}
		p := pair{name: v.Name}
		for range o.turns {
			if err := p.turn(&v, program); err != nil {
				return err
			}
			if o.json {
				if err := p.printTurn(w); err != nil {
					return err
				}
			}
		}
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 {
		return fmt.Errorf("peers: no scenario begins with %q", o.run)
	}
	if !o.json {
		printTable(w, pairs)
	}
	return nil
}

// build compiles the program over bevy_replicon, and returns its path.
func build() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "", errors.New("peers: this program does not know where its source is")
	}
	folder := filepath.Join(filepath.Dir(file), "replicon")
	cargo := exec.Command("cargo", "build", "--release", "--locked", "--quiet")
	cargo.Dir, cargo.Stdout, cargo.Stderr = folder, os.Stderr, os.Stderr
	if err := cargo.Run(); err != nil {
		return "", fmt.Errorf("peers: cargo: %w", err)
	}
	return filepath.Join(folder, "target", "release", "replicon"), nil
}

// other is one line of the other program.
type other struct {
	Name     string  `json:"name"`
	MedianNs float64 `json:"ours_ns"`
	LeastNs  float64 `json:"least_ns"`
	Bytes    int     `json:"bytes"`
	Messages int     `json:"messages"`
}

// run measures a scenario with the other program.
func run(program, name string) (o other, err error) {
	cmd := exec.Command(program, name)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return o, fmt.Errorf("peers: %s: %w", name, err)
	}
	if err = json.Unmarshal(out, &o); err == nil && o.Name != name {
		err = fmt.Errorf("peers: %s is the result of another scenario, %q", name, o.Name)
	}
	return o, err
}

// pair is the results of both sides in a scenario.
type pair struct {
	name         string
	ours, theirs []float64 // nanoseconds, by turn
	seal         []float64
	last         report.Result
	lastOther    other
}

// turn measures both sides once.
func (p *pair) turn(v *report.Variant, program string) (err error) {
	if p.last, err = v.Run(false); err != nil {
		return err
	}
	if p.lastOther, err = run(program, p.name); err != nil {
		return err
	}
	p.ours = append(p.ours, p.last.OursNs)
	p.theirs = append(p.theirs, p.lastOther.MedianNs)
	p.seal = append(p.seal, p.last.Figures["seal_ns"])
	return nil
}

// turnResult is a line of one turn.
type turnResult struct {
	Name     string  `json:"name"`
	OursNs   float64 `json:"ours_ns"`
	SealNs   float64 `json:"seal_ns"`
	Bytes    int     `json:"bytes"`
	Replicon other   `json:"replicon"`
}

func (p *pair) printTurn(w io.Writer) error {
	return json.NewEncoder(w).Encode(turnResult{p.name, p.last.OursNs, p.last.Figures["seal_ns"], p.last.Bytes, p.lastOther})
}

// printTable prints Markdown.
func printTable(w io.Writer, pairs []pair) {
	fmt.Fprintln(w, "| scenario | ours, µs | replicon, µs | ours / replicon | sealing, µs | ours, bytes | replicon, bytes |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for i := range pairs {
		p := &pairs[i]
		ours, theirs := report.Median(p.ours), report.Median(p.theirs)
		fmt.Fprintf(w, "| %s | %s | %s | %.2f | %s | %s | %s |\n", p.name, times(p.ours), times(p.theirs),
			ours/theirs, micros(report.Median(p.seal)), grouped(p.last.Bytes), grouped(p.lastOther.Bytes))
	}
}

// times returns the median and the least of some times, which are sorted.
func times(ns []float64) string {
	return fmt.Sprintf("%s (%s)", micros(report.Median(ns)), micros(ns[0]))
}

// micros returns microseconds with three digits or more.
func micros(ns float64) string {
	switch us := ns / 1000; {
	case us < 10:
		return fmt.Sprintf("%.2f", us)
	case us < 100:
		return fmt.Sprintf("%.1f", us)
	default:
		return grouped(int(us + 0.5))
	}
}

// grouped returns a number with commas.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
