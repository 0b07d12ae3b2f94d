package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/profile"

	"github.com/entangle-ecs/entangle/benchmarks/cases"
	"github.com/entangle-ecs/entangle/benchmarks/clock"
)

// options are the command line's flags.
type options struct {
	run     string
	json    bool
	short   bool
	strict  bool
	profile string
	picture string
	clock   string
	light   bool // leave out heavy variants, for tests
}

func main() {
	var o options
	flag.StringVar(&o.run, "run", "", "run cases and variants whose name begins with this; empty: all")
	flag.BoolVar(&o.json, "json", false, "print one line of JSON per variant")
	flag.BoolVar(&o.short, "short", false, "one quick round of each case; ratios mean little then")
	flag.BoolVar(&o.strict, "strict", false, "exit code 1 if a goal is missed")
	flag.StringVar(&o.profile, "profile", "", "write a profile to this folder: cpu or mem")
	flag.StringVar(&o.picture, "pictures", "", "measure, and draw pictures into this folder, instead of running cases")
	flag.StringVar(&o.clock, "clock", "", "run the case clock, and write its page to this file, instead of running cases")
	flag.StringVar(&cases.CubesFile, "cubes", cases.CubesFile, "the recording for the case cubes")
	flag.Parse()
	if err := start(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errMissed = errors.New("benchmarks: a goal was missed")

// start runs what the options ask for.
func start(o options, w io.Writer) error {
	stop, err := startProfile(o.profile)
	if err != nil {
		return err
	}
	defer stop()
	if o.picture != "" {
		return cases.DrawPictures(o.picture, cases.Pictures(), w)
	}
	if o.clock != "" {
		return clock.WritePage(o.clock, clock.Networks(), w)
	}
	var failed []error
	ran, missed := 0, false
	if !o.json {
		fmt.Fprintf(w, "%-28s %12s %12s %7s %8s %9s  %s\n", "variant", "ours ns", "limit ns", "ratio", "allocs", "bytes", "goal")
	}
	for _, v := range cases.All() {
		if !strings.HasPrefix(v.Name, o.run) || o.light && v.Heavy {
			continue
		}
		ran++
		if why := v.Left(); why != "" {
			fmt.Fprintf(os.Stderr, "benchmarks: %s is left out: %s\n", v.Name, why)
			continue
		}
		r, err := v.Run(o.short)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if err := r.Print(w, o.json); err != nil {
			return err
		}
		missed = missed || r.Missed()
	}
	if ran == 0 {
		return fmt.Errorf("benchmarks: no variant begins with %q", o.run)
	}
	if missed && o.strict {
		failed = append(failed, errMissed)
	}
	return errors.Join(failed...)
}

func startProfile(kind string) (stop func(), err error) {
	switch kind {
	case "":
		return func() {}, nil
	case "cpu":
		return profile.Start(profile.CPUProfile, profile.ProfilePath("."), profile.Quiet).Stop, nil
	case "mem":
		return profile.Start(profile.MemProfile, profile.ProfilePath("."), profile.Quiet).Stop, nil
	}
	return nil, fmt.Errorf("benchmarks: -profile is cpu or mem, not %q", kind)
}
