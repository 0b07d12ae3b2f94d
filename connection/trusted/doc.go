// Package trusted is a connection layer without encryption, tokens and handshake, over any
// transport: for networks in which every machine is trusted, such as servers behind a gateway, a
// LAN behind a firewall, a player in the server's process, and tests.
//
// The server believes what a datagram says. Anybody who can reach its port can claim any id that is
// not connected and take every slot, and anybody who can read the packets can forge them.
// Therefore a Listener refuses addresses that other machines can reach, unless Anywhere is set. For
// the internet there is package netcode.
//
// It keeps the rules of package connection: an id is connected once, no payload is delivered twice,
// and late packets of an ended connection do not affect the next one of the same client. No bytes
// cause a panic, and the server keeps state of MaxClients clients, and of nobody else.
//
//	err := server.StartWith(trusted.Listener{Over: udp.Listener{Addr: "127.0.0.1:4000"}})
//	err = client.ConnectWith(trusted.Dialer{Over: udp.Dialer{}, Server: server.Addrs()[0], Client: 7})
package trusted
