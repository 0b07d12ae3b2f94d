//go:build !linux || !(amd64 || arm64)

package sockets

import (
	"errors"
	"net/netip"
)

// Missing says why this package can't be used.
const Missing = "its limit is made of system calls of 64-bit Linux"

var errMissing = errors.New(Missing)

// Socket can't be opened on this system, and nothing of this package is used.
type Socket struct {
	FD   int
	Addr netip.AddrPort
}

// Open returns an error.
func Open(int) (*Socket, error) { return nil, errMissing }

// Connect returns an error.
func (s *Socket) Connect(netip.AddrPort) error { return errMissing }

// Read returns nothing.
func (s *Socket) Read([]byte) (n int, ok bool) { return 0, false }

// Write returns an error.
func (s *Socket) Write([]byte) error { return errMissing }

// Close does nothing.
func (s *Socket) Close() error { return nil }

// Sender sends nothing.
type Sender struct{}

// NewSender returns a sender.
func NewSender(int, []netip.AddrPort) *Sender { return &Sender{} }

// Add does nothing.
func (s *Sender) Add(int, []byte, int) {}

// Full returns false.
func (s *Sender) Full() bool { return false }

// Send returns an error.
func (s *Sender) Send() error { return errMissing }

// SendPrepared returns an error.
func (s *Sender) SendPrepared() error { return errMissing }

// Reader reads nothing.
type Reader struct{}

// NewReader returns a reader.
func NewReader(int) *Reader { return &Reader{} }

// Each does nothing.
func (r *Reader) Each(func(port uint16, b []byte)) {}
