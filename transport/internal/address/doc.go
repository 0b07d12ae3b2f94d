// Package address parses the addresses to which listeners and dialers bind sockets, and explains
// errors about addresses that cannot be used.
//
// It never resolves names, and returns IPv4 addresses in their plain form. Parse reads an address,
// Network and Text prepare it for package net, and Advice completes an error of the operating
// system with its remedy.
package address
