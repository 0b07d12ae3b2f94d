package udp

import "sync/atomic"

// Stats counts the datagrams of one Conn since it was opened. Each received datagram is in
// exactly one of Received, QueueFull, ClientFull, BadSize, BadForm and Stranger; each one
// given to Send is in exactly one of Sent, BufferFull and Unsendable. Datagrams that the
// kernel drops because its own buffer is full are in none.
type Stats struct {
	Received      uint64 // queued for Receive
	ReceivedBytes uint64 // bytes in those datagrams, without headers of UDP and IP
	QueueFull     uint64 // dropped because the queue was full: at a server, the queue of strangers
	ClientFull    uint64 // dropped by a server because the client's reserved room was full, and so was the shared room or the client's part of it
	BadSize       uint64 // dropped because they were empty or over entangle.MaxDatagram
	BadForm       uint64 // dropped by a server because they cannot be packets of the connection layer
	Stranger      uint64 // dropped by a client because they did not come from its server, by a server because they did not come from a connected client
	TooLarge      uint64 // of Received: dropped later, because they did not fit into the buffer given to Receive
	ReadErrors    uint64 // errors of the socket, such as ICMP's "port unreachable"

	Sent       uint64 // handed to the kernel
	SentBytes  uint64 // bytes in those datagrams, without headers of UDP and IP
	BufferFull uint64 // lost because the kernel's buffer was full
	Unsendable uint64 // lost because of their size or address, or because no route leads there
	SendCalls  uint64 // system calls that Sent took
}

// counters are the fields of Stats that the Conn counts; the queue counts the rest.
type counters struct {
	receivedBytes, stranger, readErrors                atomic.Uint64
	sent, sentBytes, bufferFull, unsendable, sendCalls atomic.Uint64
}

// Stats returns the counters. It may be called from any goroutine.
func (c *Conn) Stats() Stats {
	q := c.arrived.Stats()
	return Stats{
		Received:      q.Pushed,
		ReceivedBytes: c.count.receivedBytes.Load(),
		QueueFull:     q.StrangersFull,
		ClientFull:    q.ClientFull,
		BadSize:       q.Size,
		BadForm:       q.Form,
		Stranger:      c.count.stranger.Load() + q.Strange,
		TooLarge:      q.TooLarge,
		ReadErrors:    c.count.readErrors.Load(),
		Sent:          c.count.sent.Load(),
		SentBytes:     c.count.sentBytes.Load(),
		BufferFull:    c.count.bufferFull.Load(),
		Unsendable:    c.count.unsendable.Load(),
		SendCalls:     c.count.sendCalls.Load(),
	}
}
