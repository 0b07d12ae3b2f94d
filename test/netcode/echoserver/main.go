// Command echoserver is a minimal server with which a foreign client is tested: it sends each
// payload back, disconnects a client that says "kick me", and prints one line per event. The first
// line is its address. It ends when its standard input ends, so that it never outlives the test
// that started it.
package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport/token"
)

// frame is how long the server waits for a datagram before it advances the session.
const frame = 10 * time.Millisecond

func main() {
	keyText := flag.String("key", "", "the shared key, 64 hexadecimal digits")
	protocol := flag.Uint64("protocol", 0, "protocol id")
	clients := flag.Int("clients", 1, "maximum number of clients")
	listen := flag.String("listen", "127.0.0.1:0", "address")
	flag.Parse()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) //nolint:forbidigo // this is the main function
	}()
	err := run(*keyText, *protocol, *clients, *listen)
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1) //nolint:forbidigo // this is the main function
}

// run serves until something fails, and returns the error.
func run(keyText string, protocol uint64, clients int, listen string) error {
	key, err := token.ParseKey(keyText)
	if err != nil {
		return err
	}
	at, err := netip.ParseAddrPort(listen)
	if err != nil {
		return err
	}
	socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return err
	}
	at = socket.LocalAddr().(*net.UDPAddr).AddrPort()
	server, err := session.NewServer(session.ServerConfig{
		ProtocolID: protocol, Key: key, Addresses: []netip.AddrPort{at}, MaxClients: clients,
		Entropy: rand.Reader, Start: time.Now(),
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, at); err != nil {
		return err
	}
	return (&echo{socket: socket, server: server}).serve()
}

type echo struct {
	socket *net.UDPConn
	server *session.Server
	in     [2048]byte
	out    []byte
}

func (e *echo) serve() error {
	for {
		if err := e.socket.SetReadDeadline(time.Now().Add(frame)); err != nil {
			return err
		}
		n, from, err := e.socket.ReadFromUDPAddrPort(e.in[:])
		now := time.Now()
		if err == nil {
			e.handle(session.Addr{AddrPort: from}, e.in[:n], now)
		}
		e.server.Advance(now)
		if err := e.report(); err != nil {
			return err
		}
		e.flush()
	}
}

// handle handles one datagram, and sends its payload back.
func (e *echo) handle(from session.Addr, b []byte, now time.Time) {
	slot, payload, ok := e.server.HandleDatagram(from, b, now)
	switch {
	case !ok:
		return
	case string(payload) == "kick me":
		e.server.Disconnect(slot, now)
		return
	}
	payload = payload[:min(len(payload), entangle.MaxPayload)]
	if b, err := e.server.AppendPayload(e.out[:0], slot, payload, now); err == nil {
		e.out = b
		e.sendDatagram(from, b)
	}
}

// flush sends the session's own packets. A datagram that the operating system does not accept is
// lost.
func (e *echo) flush() {
	for {
		to, b, ok := e.server.PollDatagram()
		if !ok {
			return
		}
		e.sendDatagram(to, b)
	}
}

func (e *echo) sendDatagram(to session.Addr, b []byte) {
	_, _ = e.socket.WriteToUDPAddrPort(b, to.AddrPort)
}

// report prints the session's events.
func (e *echo) report() error {
	for {
		event, ok := e.server.PollEvent()
		if !ok {
			return nil
		}
		line := fmt.Sprintf("disconnected %d %v", event.ClientID, event.Reason)
		if event.Kind == session.Connected {
			line = fmt.Sprintf("connected %d %q", event.ClientID, event.UserData[:20])
		}
		if _, err := fmt.Fprintln(os.Stdout, line); err != nil {
			return err
		}
	}
}
