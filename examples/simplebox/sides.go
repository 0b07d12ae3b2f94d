package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// sides controls the sides, wherever they run, for a view or for a run without one.
type sides struct {
	numbers []int
	reports <-chan report
	order   func(number int, o order) error
	end     func() // ends all sides and returns when they have ended
}

// asSides returns the sides that run in these processes.
func (f *processes) asSides() *sides {
	s := &sides{reports: f.reports, end: f.stopAll}
	for _, m := range f.members {
		s.numbers = append(s.numbers, m.number)
	}
	s.order = func(number int, o order) error { return f.members[number].order(o) }
	return s
}

// startSides starts the sides of the mode: a server and clients as processes, or one side within this process.
func startSides(ctx context.Context, s settings) (*sides, error) {
	if s.Mode == stage.All {
		f, err := startAll(ctx, s)
		if err != nil {
			return nil, err
		}
		return f.asSides(), nil
	}
	return startLone(ctx, &s)
}

// startLone runs one side in a goroutine of this process.
func startLone(ctx context.Context, s *settings) (*sides, error) {
	ctx, cancel := context.WithCancel(ctx)
	orders := make(chan order, orderQueue)
	reports := make(chan report)
	pass := func(r report) {
		select {
		case reports <- r:
		case <-ctx.Done():
		}
	}
	n, err := newNode(s, orders, pass)
	if err != nil {
		cancel()
		return nil, err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ended := sideName(n.number) + " ended"
		if err := n.playUntil(ctx); err != nil {
			ended = err.Error()
		}
		pass(report{Side: n.number, Ended: ended})
	}()
	return &sides{
		numbers: []int{n.number}, reports: reports,
		order: func(_ int, o order) error {
			select {
			case orders <- o:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		end: func() { cancel(); <-gone },
	}, nil
}

var errTooLong = errors.New("took too long")

// match collects the reports of the sides.
type match struct {
	*sides
	latest  map[int]report
	changed time.Time // when the digest of any world changed last
}

func newMatch(s *sides) *match {
	return &match{sides: s, latest: map[int]report{}, changed: time.Now()}
}

// await receives reports until done returns true. It calls done after each report.
func (m *match) await(ctx context.Context, limit time.Duration, what string, done func() bool) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for !done() {
		select {
		case r := <-m.reports:
			if r.Ended != "" {
				return errors.New(r.Ended)
			}
			m.recordReport(r)
		case <-timeout.C:
			return fmt.Errorf("%s %w: %v", what, errTooLong, limit)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (m *match) recordReport(r report) {
	if m.latest[r.Side].Digest != r.Digest {
		m.changed = time.Now()
	}
	m.latest[r.Side] = r
}

// all reports whether every side has reported and holds returns true for each report.
func (m *match) all(holds func(report) bool) bool {
	for _, number := range m.numbers {
		if r, ok := m.latest[number]; !ok || !holds(r) {
			return false
		}
	}
	return true
}

// digestsEqual reports whether every world has the same digest as the server's.
func (m *match) digestsEqual() bool {
	return m.all(func(r report) bool { return r.Digest == m.latest[0].Digest })
}
