package udp

import "fmt"

// options are the fields that Listener and Dialer share.
type options struct {
	readBuffer, writeBuffer, queue int
}

// resolveOptions puts defaults in for zeros. owner names the struct in errors.
func resolveOptions(owner string, o, defaults options) (options, error) {
	if o.queue < 0 {
		return o, fmt.Errorf("udp: %s.Queue is %d; give the number of datagrams that may wait, or 0 for %d", owner, o.queue, defaults.queue)
	}
	for _, f := range []struct{ value, standard *int }{
		{&o.readBuffer, &defaults.readBuffer},
		{&o.writeBuffer, &defaults.writeBuffer},
		{&o.queue, &defaults.queue},
	} {
		if *f.value == 0 {
			*f.value = *f.standard
		}
	}
	return o, nil
}
