package address

import (
	"errors"
	"syscall"
)

// Advice returns a remedy for common errors of the operating system, in parentheses, or "" for
// other errors.
func Advice(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return " (another socket has this port: stop that program, or choose another port, or 0 for any)"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return " (no interface of this machine has this address: use one that has, or leave the host out)"
	case errors.Is(err, syscall.EACCES):
		return " (this port is reserved for the system: choose one from 1024 on)"
	default:
		return ""
	}
}
