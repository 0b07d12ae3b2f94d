// Package conditioner makes a good link bad: it delays, jitters, loses,
// duplicates, reorders and throttles datagrams, in each direction as told, for
// tests and for trying a game under the network that its players have.
//
// # Two layers
//
// Link is the machine: datagrams go in with Push and come out with Pop when
// their time has come. It has no clock and no chance of its own: the same
// Config, seed and calls give the same run, byte for byte.
//
// NewListener and NewDialer put two Links into any transport: one conditions
// what its Conns send, the other what they receive.
//
//	dialer := conditioner.NewDialer(udp.Dialer{}, conditioner.Options{
//		Send:    conditioner.Config{Latency: 40 * time.Millisecond, Loss: 0.05},
//		Receive: conditioner.Config{Latency: 40 * time.Millisecond, Jitter: 10 * time.Millisecond},
//		Seed:    1,
//	})
//
// Condition one end of a connection, or each end with half of it. A server's
// Conn has one Link per direction for all of its peers, as a server's line does.
//
// # When a datagram moves
//
// There is no goroutine. Send and Receive both move whatever is due, so a
// datagram leaves or arrives with the first call after its time. A game's loop
// calls Receive in every frame: times are rounded up to the next frame. What is
// still on its way when a Conn is closed leaves at once, as there is nobody to
// send it later; a goodbye is not held back by the latency of the line.
//
// # Limits
//
// A Link holds at most Config.Limit datagrams, and drops the newest beyond it.
// It allocates nothing once it has held as many as it gets.
package conditioner
