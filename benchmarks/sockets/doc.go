// Package sockets exchanges datagrams by the system calls of Linux alone, as the limits of the cases
// with sockets do, and their clients. It is made for 127.0.0.1.
package sockets
