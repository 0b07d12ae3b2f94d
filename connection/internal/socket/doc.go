// Package socket is shared by connection layers over a transport: an open Conn that is read
// a bounded number of times per frame, sends one batch at the end of the frame, and learns
// which addresses are clients.
package socket
