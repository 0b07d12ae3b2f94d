// Package address reads the addresses that listeners and dialers are told to bind
// sockets to, and says what to do about the ones that cannot be used.
//
// It guarantees that no name is looked up and that an IPv4 address comes out in its
// plain form. Parse reads, Network names the family for package net, Advice ends an
// error of the system with what helps.
package address
