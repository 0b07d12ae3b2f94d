// Command echoserver is a game server in its smallest form, for a foreign client
// to talk to: it sends each payload back, disconnects who says "kick me", and
// prints one line per event. The first line is its address.
package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport/token"
)

// frame is how long the server waits for a datagram before it does its rounds.
const frame = 10 * time.Millisecond

func main() {
	keyText := flag.String("key", "", "the shared key, 64 hexadecimal digits")
	protocol := flag.Uint64("protocol", 0, "protocol id")
	clients := flag.Int("clients", 1, "maximum number of clients")
	listen := flag.String("listen", "127.0.0.1:0", "address")
	flag.Parse()
	if err := run(*keyText, *protocol, *clients, *listen); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // this is the main function
	}
}

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
	fmt.Fprintln(os.Stdout, at)
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
			slot, payload, ok := e.server.HandleDatagram(session.Addr{AddrPort: from}, e.in[:n], now)
			e.report()
			if ok {
				e.answer(slot, payload, now)
			}
		}
		e.server.Advance(now)
		e.report()
		e.flush()
	}
}

func (e *echo) answer(slot int, payload []byte, now time.Time) {
	if string(payload) == "kick me" {
		e.server.Disconnect(slot, now)
		e.report()
		return
	}
	payload = payload[:min(len(payload), entangle.MaxPayload)]
	to := e.server.Addr(slot)
	if b, err := e.server.AppendPayload(e.out[:0], slot, payload, now); err == nil {
		e.out = b
		e.send(to, b)
	}
}

// flush sends what the session has to say by itself. A datagram that the system
// does not take is lost like any other.
func (e *echo) flush() {
	for {
		to, b, ok := e.server.PollDatagram()
		if !ok {
			return
		}
		e.send(to, b)
	}
}

func (e *echo) send(to session.Addr, b []byte) {
	_, _ = e.socket.WriteToUDPAddrPort(b, to.AddrPort)
}

func (e *echo) report() {
	for {
		event, ok := e.server.PollEvent()
		switch {
		case !ok:
			return
		case event.Kind == session.Connected:
			fmt.Fprintf(os.Stdout, "connected %d %q\n", event.ClientID, event.UserData[:20])
		default:
			fmt.Fprintf(os.Stdout, "disconnected %d %v\n", event.ClientID, event.Reason)
		}
	}
}
