// Package netcode holds a second netcode 1.02 client, written in Python over the
// system's libsodium from the description of the standard, and the tests that let
// it judge the Go implementation: it talks to a real server process over loopback
// UDP, and its bytes are the goldens of the packages token and session.
package netcode
