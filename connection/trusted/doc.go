// Package trusted is a connection layer without encryption and without tokens, over any
// transport: for networks where everybody is trusted, such as servers among themselves, a
// LAN behind a firewall, a player beside the server in one process, and tests.
//
// Clients say who they are, and are believed: whoever reaches the port can be anyone, and
// whoever can read along can read everything, and speak for others. So a Listener refuses
// to listen where others than this machine reach it, unless Anywhere says that this is
// meant. For the internet there is package netcode.
//
// What it does keep: an id is connected once. Nobody who cannot read what is sent to a
// client can connect from its address, end its connection, or speak for it. Nothing is
// handed out twice, no bytes do harm, and what a stranger costs is bounded. A game of
// another name is told so.
//
//	err := server.StartWith(trusted.Listener{Over: udp.Listener{Addr: "127.0.0.1:4000"}})
//	err = client.ConnectWith(trusted.Dialer{Over: udp.Dialer{}, Server: server.Addrs()[0], Client: 7})
package trusted
