package udp

import (
	"cmp"
	"fmt"

	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// options are the fields that Listener and Dialer share.
type options struct {
	readBuffer, writeBuffer int
	waiting                 queue.Limits
}

// orBuffers fills in a default for buffer sizes that are zero.
func (o options) orBuffers(standard int) options {
	o.readBuffer = cmp.Or(o.readBuffer, standard)
	o.writeBuffer = cmp.Or(o.writeBuffer, standard)
	return o
}

// room returns the length of a queue from the field that sets it. The error names the field.
func room(field string, value, standard int) (int, error) {
	switch {
	case value < 0:
		return 0, fmt.Errorf("udp: %s is %d; give the number of datagrams that may wait, or 0 for %d", field, value, standard)
	case value == 0:
		return standard, nil
	}
	return value, nil
}
