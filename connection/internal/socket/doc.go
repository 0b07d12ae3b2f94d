// Package socket is what connection layers over a transport have in common: an open Conn
// that is read a bounded number of times in a frame, sends one batch at its end, and is
// told who is a client.
package socket
