package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

const (
	// partingTime is how long a process gets to say goodbye before it is killed.
	partingTime = 2 * time.Second

	// lastWords bounds what is kept of what a process writes to its standard
	// error, in bytes: a panic's first page.
	lastWords = 4 << 10

	// longestReport bounds a line of a process, in bytes: a picture of maxDots dots
	// and room for the rest.
	longestReport = 1 << 20
)

// family is the processes of one demo: this program again, as a server and as
// clients. They end with their standard input, so none outlives this process.
type family struct {
	program string
	ctx     context.Context
	cancel  context.CancelFunc
	reports chan report
	members []*member
	running sync.WaitGroup
}

// member is one process. Orders to it may come from one goroutine.
type member struct {
	number int
	orders *json.Encoder
	stdin  io.Closer
}

// newFamily returns a family without members. Program is what to run for each.
func newFamily(ctx context.Context, program string) *family {
	f := &family{program: program, reports: make(chan report, 64)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// start adds a process. Its reports, and one that it has ended, come out of
// reports.
func (f *family) start(s settings) error {
	number := len(f.members)
	cmd := exec.CommandContext(f.ctx, f.program, "-mode", s.Mode, "-pipe")
	stderr := &words{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Cancel = stdin.Close
	cmd.WaitDelay = partingTime
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	m := &member{number: number, orders: json.NewEncoder(stdin), stdin: stdin}
	f.members = append(f.members, m)
	f.running.Go(func() {
		f.listen(number, stdout)
		err := cmd.Wait()
		f.pass(report{Side: number, Ended: ending(number, err, stderr)})
	})
	return m.order(order{Settings: &s})
}

// listen passes on what a process tells, until it tells no more.
func (f *family) listen(number int, stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, longestReport)
	for lines.Scan() {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			r.Side = number
			f.pass(r)
		}
	}
}

// pass hands a report over, or drops it when nobody will ever take it.
func (f *family) pass(r report) {
	select {
	case f.reports <- r:
	case <-f.ctx.Done():
	}
}

func (m *member) order(o order) error {
	if err := m.orders.Encode(o); err != nil {
		return fmt.Errorf("%s takes no orders: %w", sideName(m.number), err)
	}
	return nil
}

// end ends all processes and returns when they are gone.
func (f *family) end() {
	f.cancel()
	f.running.Wait()
}

// ending says why a process is gone.
func ending(number int, err error, stderr *words) string {
	said := strings.TrimSpace(stderr.String())
	switch {
	case said != "":
		return said
	case err != nil:
		return sideName(number) + " ended: " + err.Error()
	default:
		return sideName(number) + " ended"
	}
}

// sideName is what the sides are called: 0 is the server.
func sideName(number int) string {
	if number == 0 {
		return "server"
	}
	return fmt.Sprintf("client %d", number)
}

// words is a writer that keeps the first lastWords bytes.
type words struct{ text []byte }

// Write implements io.Writer.
func (t *words) Write(b []byte) (int, error) {
	t.text = append(t.text, b[:min(len(b), lastWords-len(t.text))]...)
	return len(b), nil
}

// String returns what was kept.
func (t *words) String() string { return string(t.text) }

// startAll starts the server, and the clients once it listens.
func startAll(ctx context.Context, s settings) (*family, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f := newFamily(ctx, program)
	if err := f.startAll(s); err != nil {
		f.end()
		return nil, err
	}
	return f, nil
}

func (f *family) startAll(s settings) error {
	s.Mode = stage.Server
	addr, err := (&settings{Sides: stage.Sides{Mode: stage.All, Addr: s.Addr}}).address()
	if err != nil {
		return err
	}
	s.Addr = addr.String()
	if err := f.start(s); err != nil {
		return err
	}
	s.Addr, err = f.address()
	if err != nil {
		return err
	}
	for id := range s.Clients {
		s.Mode, s.ID = stage.Client, uint64(id+1)
		if err := f.start(s); err != nil {
			return err
		}
	}
	return nil
}

// address waits for the server to tell where it listens.
func (f *family) address() (string, error) {
	for {
		select {
		case r := <-f.reports:
			if r.Ended != "" {
				return "", errors.New(r.Ended)
			}
			if r.Addr != "" {
				return r.Addr, nil
			}
		case <-f.ctx.Done():
			return "", f.ctx.Err()
		}
	}
}
