//go:build !linux

package udp

import "net"

func setReadBuffer(socket *net.UDPConn, bytes int) { _ = socket.SetReadBuffer(bytes) }
