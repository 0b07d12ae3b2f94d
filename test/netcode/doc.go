// Package netcode holds a second netcode 1.02 client, written in Python over the system's libsodium
// from the description of the standard, and tests that check the Go implementation with it. The
// client talks to a real server process over loopback UDP, and the bytes that it writes are the
// golden files of the packages token and session.
package netcode
