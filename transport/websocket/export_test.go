//go:build !js && !wasip1

package websocket

import "time"

// Times are timeouts that tests shorten, so that none waits for seconds.
type Times struct{ Header, Admit, Stall, Goodbye, Redial time.Duration }

func (t Times) patience() patience {
	p := patience{}.orDefault()
	for _, f := range []struct{ value, short *time.Duration }{
		{&p.header, &t.Header}, {&p.admit, &t.Admit}, {&p.stall, &t.Stall}, {&p.goodbye, &t.Goodbye}, {&p.redial, &t.Redial},
	} {
		if *f.short > 0 {
			*f.value = *f.short
		}
	}
	return p
}

// Within returns the listener with shorter timeouts.
func (l Listener) Within(t Times) Listener {
	l.patience = t.patience()
	return l
}

// Within returns the dialer with shorter timeouts.
func (d Dialer) Within(t Times) Dialer {
	d.patience = t.patience()
	return d
}

// Within returns the config with other timeouts.
func (c Config) Within(t Times) Config {
	c.patience = t.patience()
	return c
}

// Limits that the tests use.
const (
	ClientShare = clientShare
	MaxRepeats  = maxRepeats
)

// Repeats returns how many of count equal datagrams in a row would be written.
func Repeats(count int, open bool) (written int) {
	var r repeats
	for range count {
		if !r.isRepeat([]byte("request"), open) {
			written++
		}
	}
	return written
}

// Break makes the port fail.
func (c *Conn) Break(err error) { c.fail(err) }
