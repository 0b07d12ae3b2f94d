package udp

import (
	"net"
	"syscall"
)

// setReadBuffer first requests a buffer beyond the system's limit, which the kernel grants to
// processes with CAP_NET_ADMIN. A flood fills the default limit in a few milliseconds.
func setReadBuffer(socket *net.UDPConn, bytes int) {
	raw, err := socket.SyscallConn()
	forced := false
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			forced = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, bytes) == nil
		})
	}
	if err != nil || !forced {
		_ = socket.SetReadBuffer(bytes)
	}
}
