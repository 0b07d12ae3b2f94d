// Package trusted is a connection layer without encryption and without tokens, over any
// transport: for trusted networks, such as servers among themselves, a LAN behind a
// firewall, a player in the server's process, and tests.
//
// The server does not verify ids: a program that reaches the port can use any id, and one that can
// read the packets can also forge them. Therefore a Listener refuses addresses that other machines
// can reach, unless Anywhere is set. For the internet there is package netcode.
//
// It does guarantee the following. An id is connected once. A program that cannot read the
// packets to a client cannot connect from its address, end its connection, or forge its
// packets. No payload is delivered twice, no bytes cause a panic, and the cost of strangers
// is bounded. A client of another game is refused
// with a reason.
//
//	err := server.StartWith(trusted.Listener{Over: udp.Listener{Addr: "127.0.0.1:4000"}})
//	err = client.ConnectWith(trusted.Dialer{Over: udp.Dialer{}, Server: server.Addrs()[0], Client: 7})
package trusted
