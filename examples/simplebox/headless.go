package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

const (
	// connectTime is how long clients may take to connect and to receive the world, at a loss of up
	// to half of all datagrams.
	connectTime = 30 * time.Second

	// restTime bounds the wait for worlds to come to rest.
	restTime = 30 * time.Second

	// quietTime is how long no world may change until the worlds count as at rest, equal or not.
	quietTime = 5 * time.Second

	// answerTime is how long a process may take to carry out an order.
	answerTime = 10 * time.Second

	// endless is the timeout of a wait that only Ctrl-C ends.
	endless = time.Duration(math.MaxInt64)
)

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example  string        `json:"example"`
	Clients  int           `json:"clients"`
	Ticks    entangle.Tick `json:"ticks"`
	Entities int           `json:"entities"`
	Seconds  float64       `json:"seconds"`
	Eaten    int           `json:"eaten"`
	// BytesPerS is the rate at which the server sent to all clients, in bytes per second.
	BytesPerS float64 `json:"bytes_per_s"`
	// Links are the connections at the time when the world was stopped.
	Links []link `json:"links"`
	// Clocks are the clients' clocks at that time.
	Clocks []clock `json:"clocks"`
	// Predictions are the results of the clients' predictions.
	Predictions []predictions `json:"predictions"`
	// RestMS is how long the worlds took to come to rest, in milliseconds.
	RestMS      float64  `json:"settle_ms"`
	HashServer  string   `json:"hash_server"`
	HashClients []string `json:"hash_clients"`
	WorldsEqual bool     `json:"worlds_equal"`
}

// playHeadless plays for the configured time, stops the world, and compares the worlds.
func playHeadless(ctx context.Context, s settings) (*result, error) {
	all, err := startSides(ctx, s)
	if err != nil {
		return nil, err
	}
	defer all.end()
	m := newMatch(all)
	r := &result{Example: "simplebox", Clients: s.Clients, HashClients: []string{}}
	if err := m.play(ctx, s.Seconds, r); err != nil {
		return nil, err
	}
	if err := m.rest(ctx, r); err != nil {
		return nil, err
	}
	return r, m.compareWorlds(ctx, s, r)
}

// play waits until every client has a world, and then lets the game run for some seconds.
func (m *match) play(ctx context.Context, seconds float64, r *result) error {
	err := m.await(ctx, connectTime, "connecting", func() bool {
		return m.all(func(r report) bool {
			return r.Entities > 0 && (r.Side == 0 || r.State == plugin.Connected.String())
		})
	})
	if err != nil {
		return err
	}
	length := time.Duration(seconds * float64(time.Second))
	start, before := time.Now(), m.latest[0]
	err = m.await(ctx, length+answerTime, "playing", func() bool { return time.Since(start) >= length })
	if err != nil {
		return err
	}
	after := m.latest[0]
	r.Seconds = time.Since(start).Seconds()
	r.BytesPerS = float64(after.Sent-before.Sent) / r.Seconds
	r.Links = after.Links
	r.Clocks, r.Predictions = m.clocks(), m.predictions()
	return nil
}

// clocks returns the clients' clocks.
func (m *match) clocks() (clocks []clock) {
	for _, number := range m.numbers {
		if c := m.latest[number].Clock; c != nil {
			clocks = append(clocks, *c)
		}
	}
	return clocks
}

// predictions returns the results of the clients' predictions.
func (m *match) predictions() (all []predictions) {
	for _, number := range m.numbers {
		if p := m.latest[number].Predictions; p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// rest stops the world and waits until all worlds are equal, or until none changes any more. If the
// worlds do not come to rest in time, they are compared as they are.
func (m *match) rest(ctx context.Context, r *result) error {
	still := true
	if err := m.order(0, order{Still: &still}); err != nil {
		return err
	}
	start := time.Now()
	err := m.await(ctx, answerTime, "holding still", func() bool { return m.latest[0].Still })
	if err != nil {
		return err
	}
	err = m.await(ctx, restTime, "coming to rest", func() bool {
		return m.digestsEqual() || time.Since(m.changed) > quietTime
	})
	if err != nil && !errors.Is(err, errTooLong) {
		return err
	}
	r.RestMS = milliseconds(time.Since(start))
	r.Ticks, r.Entities, r.Eaten = m.latest[0].Tick, m.latest[0].Entities, m.latest[0].Eaten
	return nil
}

// compareWorlds makes every process write its world to a file, and compares the files with each
// other.
func (m *match) compareWorlds(ctx context.Context, s settings, r *result) error {
	folder, remove, err := dumpFolder(s.Dumps)
	if err != nil {
		return err
	}
	defer remove()
	for _, number := range m.numbers {
		o := order{Dump: dumpName(folder, number), Spoil: s.Spoil && number == 1}
		if err := m.order(number, o); err != nil {
			return err
		}
	}
	err = m.await(ctx, answerTime, "writing dumps", func() bool {
		return m.all(func(r report) bool { return r.Dumped != "" })
	})
	if err != nil {
		return err
	}
	return m.compareFiles(folder, r)
}

func (m *match) compareFiles(folder string, r *result) error {
	server, err := m.readDump(folder, 0)
	if err != nil {
		return err
	}
	r.HashServer, r.WorldsEqual = hashOf(server), len(server) > 0
	for _, number := range m.numbers[1:] {
		client, err := m.readDump(folder, number)
		if err != nil {
			return err
		}
		r.HashClients = append(r.HashClients, hashOf(client))
		r.WorldsEqual = r.WorldsEqual && bytes.Equal(server, client)
	}
	return nil
}

// readDump reads a process's dump and checks its hash.
func (m *match) readDump(folder string, number int) ([]byte, error) {
	dump, err := os.ReadFile(dumpName(folder, number))
	if err != nil {
		return nil, err
	}
	if hashOf(dump) != m.latest[number].Dumped {
		return nil, fmt.Errorf("the dump of %s is not what it wrote", sideName(number))
	}
	return dump, nil
}

func dumpName(folder string, number int) string {
	if number == 0 {
		return filepath.Join(folder, "server.txt")
	}
	return filepath.Join(folder, fmt.Sprintf("client%d.txt", number))
}

// dumpFolder returns the configured folder, or a temporary one.
func dumpFolder(asked string) (folder string, remove func(), err error) {
	if asked == "" {
		folder, err = os.MkdirTemp("", "simplebox-")
		return folder, func() { _ = os.RemoveAll(folder) }, err
	}
	folder, err = filepath.Abs(asked)
	if err != nil {
		return "", nil, err
	}
	return folder, func() {}, os.MkdirAll(folder, 0o755)
}

// loneResult is the line that the program prints if one side runs alone.
type loneResult struct {
	Example   string        `json:"example"`
	Side      string        `json:"side"`
	Ticks     entangle.Tick `json:"ticks"`
	Entities  int           `json:"entities"`
	BytesPerS float64       `json:"bytes_per_s"`
	Hash      string        `json:"hash"`
}

// playLone runs one side alone without a terminal. It ends after some seconds, or with 0 seconds
// when ctx is cancelled.
func playLone(ctx context.Context, s settings, listens func(addr string)) (*loneResult, error) {
	all, err := startSides(ctx, s)
	if err != nil {
		return nil, err
	}
	defer all.end()
	m, number := newMatch(all), all.numbers[0]
	up := func() bool {
		r, ok := m.latest[number]
		return ok && (number == 0 || r.State == plugin.Connected.String())
	}
	if err := m.await(ctx, connectTime, "connecting", up); err != nil {
		return nil, err
	}
	if addr := m.latest[number].Addr; addr != "" {
		listens(addr)
	}
	length, start := time.Duration(s.Seconds*float64(time.Second)), time.Now()
	over := func() bool { return length > 0 && time.Since(start) >= length }
	if err := m.await(ctx, endless, "playing", over); err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	last := m.latest[number]
	return &loneResult{
		Example: "simplebox", Side: s.Mode, Ticks: last.Tick, Entities: last.Entities,
		BytesPerS: float64(last.Sent) / time.Since(start).Seconds(), Hash: last.Digest,
	}, nil
}
