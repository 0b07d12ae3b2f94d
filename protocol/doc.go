// Package protocol is what both sides of a game agree on: which components,
// inputs, messages, requests, resources and channels exist, and how their values
// go over the wire.
package protocol
