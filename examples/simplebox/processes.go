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
	// partingTime is how long a process may take to disconnect before it is killed.
	partingTime = 2 * time.Second

	// lastWords is how many bytes of a process's standard error are kept, enough for the first page
	// of a panic.
	lastWords = 4 << 10

	// longestReport is the greatest length of a report in bytes: enough for a snapshot of maxDots
	// dots and all other fields.
	longestReport = 1 << 20
)

// processes are the processes of one demo: further instances of this program, as a server and as
// clients. They end when their standard input ends, so that none outlives this process.
type processes struct {
	program string
	ctx     context.Context
	cancel  context.CancelFunc
	reports chan report
	members []*member
	running sync.WaitGroup
}

// member is one of the processes. Only one goroutine may send orders to it.
type member struct {
	number int
	orders *json.Encoder
	stdin  io.Closer
}

// newProcesses returns an empty set of processes. program is the executable to run.
func newProcesses(ctx context.Context, program string) *processes {
	f := &processes{program: program, reports: make(chan report, 64)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// start starts a process. Its reports are sent to the channel reports, and so is the report that it
// has ended.
func (f *processes) start(s settings) error {
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

// listen forwards the reports of a process until its output ends.
func (f *processes) listen(number int, stdout io.Reader) {
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

// pass delivers a report, or drops it if the receiver has ended.
func (f *processes) pass(r report) {
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

// stopAll ends all processes and waits until they have exited.
func (f *processes) stopAll() {
	f.cancel()
	f.running.Wait()
}

// ending returns the reason why a process has ended.
func ending(number int, err error, stderr *words) string {
	reason := strings.TrimSpace(stderr.String())
	switch {
	case reason != "":
		return reason
	case err != nil:
		return sideName(number) + " ended: " + err.Error()
	default:
		return sideName(number) + " ended"
	}
}

// sideName returns the name of a side: 0 is the server.
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

// String returns the kept bytes.
func (t *words) String() string { return string(t.text) }

// startAll starts the server, and the clients once the server listens.
func startAll(ctx context.Context, s settings) (*processes, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f := newProcesses(ctx, program)
	if err := f.startAll(s); err != nil {
		f.stopAll()
		return nil, err
	}
	return f, nil
}

func (f *processes) startAll(s settings) error {
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

// address waits for the address of the server.
func (f *processes) address() (string, error) {
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
