//go:build !js && !wasip1

package websocket

import "sync/atomic"

// Stats counts the datagrams and WebSockets of a server's Conn since it was opened.
type Stats struct {
	Received      uint64 // datagrams queued for Receive
	ReceivedBytes uint64 // bytes in those datagrams, without headers of WebSocket and TCP
	QueueFull     uint64 // datagrams dropped because the queue of clients, or that of strangers, was full
	TooLarge      uint64 // of Received: dropped later, because they did not fit into the buffer given to Receive

	Sent        uint64 // datagrams that were queued to be written
	SentBytes   uint64 // bytes in those datagrams, without headers of WebSocket and TCP
	BacklogFull uint64 // datagrams lost because Limits.Backlog of them waited
	Unsendable  uint64 // datagrams lost because of their size, or because no WebSocket has the address

	Open    int    // WebSockets that are open
	Pending int    // WebSockets that are not admitted, and requests that are being served
	Crowded uint64 // requests refused because too many connections were not admitted yet
	Refused uint64 // requests refused for their origin, or because they asked for no WebSocket
	Expired uint64 // WebSockets closed because they were not admitted in time
	Broken  uint64 // WebSockets that the other side closed or broke, or that sent an invalid message
}

type counters struct {
	receivedBytes                            atomic.Uint64
	sent, sentBytes, backlogFull, unsendable atomic.Uint64
	crowded, refused, expired, broken        atomic.Uint64
}

// Stats returns the counters. It may be called from any goroutine.
func (c *Conn) Stats() Stats {
	q := c.arrived.Stats()
	c.mu.RLock()
	open := len(c.peers)
	c.mu.RUnlock()
	return Stats{
		Received:      q.Pushed,
		ReceivedBytes: c.count.receivedBytes.Load(),
		QueueFull:     q.StrangersFull + q.ClientFull,
		TooLarge:      q.TooLarge,
		Sent:          c.count.sent.Load(),
		SentBytes:     c.count.sentBytes.Load(),
		BacklogFull:   c.count.backlogFull.Load(),
		Unsendable:    c.count.unsendable.Load(),
		Open:          open,
		Pending:       c.pending.count(),
		Crowded:       c.count.crowded.Load(),
		Refused:       c.count.refused.Load(),
		Expired:       c.count.expired.Load(),
		Broken:        c.count.broken.Load(),
	}
}
