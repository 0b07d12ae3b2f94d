// Package socket is the part that connection layers over a transport share: an open Conn that is
// read a bounded number of times per frame, sends one batch at the end of the frame, and is told
// which addresses are clients.
package socket
