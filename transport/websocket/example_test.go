//go:build !js && !wasip1

package websocket_test

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/udp"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// A server listens over UDP and WebSocket on one port number. Tokens list that one address,
// and a client chooses the transport.
func ExampleListener() {
	listen := func(server *plugin.Server, certificate tls.Certificate) error {
		return server.Start(
			udp.Listener{Addr: ":4000"},
			websocket.Listener{
				Addr:    ":4000",
				TLS:     &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
				Origins: []string{"play.example.com"},
			},
		)
	}
	_ = listen
	_ = websocket.Dialer{URL: "wss://eu.example.com:4000" + websocket.DefaultPath}
}

// This server serves a game and other pages over one HTTP server.
func ExampleHandler() {
	game := websocket.NewHandler(websocket.Config{Addr: netip.MustParseAddrPort("203.0.113.7:443")})
	mux := http.NewServeMux()
	mux.Handle("/entangle", game)
	site := &http.Server{Addr: ":443", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	start := func(server *plugin.Server) error {
		if err := server.Start(game); err != nil {
			return err
		}
		return site.ListenAndServeTLS("cert.pem", "key.pem")
	}
	_ = start
}
