// Package transporttest checks that a transport keeps the rules of package
// transport. Every transport of this module runs it, and a game that brings its
// own should as well:
//
//	func TestTransport(t *testing.T) {
//		transporttest.Run(t, func(t testing.TB) (transport.Listener, transport.Dialer) {
//			network := newMyNetwork()
//			return network.listener(), network.dialer()
//		})
//	}
//
// A transport whose clients' ends are connections, and end with their server, says so
// with the trait Connected. One that strangers can reach should have the trait KeepsRoom.
// To one that is an Admitter, everybody is a client who is heard.
//
// The transport may lose, repeat and reorder datagrams while it is checked, as
// long as most arrive: a check that waits for a datagram sends it again and
// again, for at most ten seconds. Checks pass without waiting on a transport
// that delivers at once. Run them with -race as well; Close is called while
// another goroutine receives and sends.
package transporttest
