package main

import "github.com/entangle-ecs/entangle/transport/token"

// fan-out: what one more client costs that sees what others see. The slope of a
// server's tick over 10, 50 and 100 clients, by least squares, to the copy and the
// seal of the packets that one of them gets. World and movement are those of
// tick-shared. One operation of ours is a tick of all three servers; one of the
// limit is the packets of 100 clients.
var fanOutClients = [...]int{10, 50, 100}

func fanOutVariants() []variant {
	return []variant{{name: "fan-out/shared", goal: 2, unit: "x copy and seal", rounds: sceneRounds, heavy: true, prepare: fanOutPrepare}}
}

// sceneRounds is how often scenes run: what happens between two ticks takes longer
// than the tick.
const sceneRounds = 100

// fanOut is the three servers and what their ticks took.
type fanOut struct {
	scenes [len(fanOutClients)]*scene
	limits [len(fanOutClients)]*sceneLimit
	took   [len(fanOutClients)][]float64
	bag    sceneBag // payloads of one client
	seals  []float64
}

func fanOutPrepare() (sides, error) {
	f := &fanOut{}
	for i, clients := range fanOutClients {
		cfg := sceneConfig{entities: tickEntities, clients: clients, percent: 100, rtt: sixTicks}
		var err error
		if f.scenes[i], f.limits[i], err = newScenePair(cfg); err != nil {
			return sides{}, err
		}
		f.took[i] = make([]float64, 0, 2*rounds)
	}
	f.seals = make([]float64, 0, 2*rounds)
	return sides{
		before: f.before,
		ours:   f.send,
		limit:  f.seal,
		figure: func() float64 { return f.slope() / (median(f.seals) / tickClients) },
		verify: f.equal,
	}, nil
}

func (f *fanOut) before() {
	for i, s := range f.scenes {
		s.before()
		f.limits[i].move(100)
	}
}

func (f *fanOut) send() {
	for i, s := range f.scenes {
		f.took[i] = append(f.took[i], clock(s.send))
	}
}

// seal copies and seals what a client of ours got in its last tick, for as many as
// the largest server has.
func (f *fanOut) seal() {
	last := f.limits[len(f.limits)-1]
	f.bag.reset()
	for sealed := range f.scenes[0].clients[0].out.each {
		f.bag.add(append(f.bag.data, sealed[:payloadSize(sealed)]...))
	}
	f.seals = append(f.seals, clock(func() { last.fanOut(&f.bag) }))
}

// payloadSize is the size of what was sealed: before it stand a byte whose high half
// says how many bytes of a number follow, and these; behind it a tag.
func payloadSize(sealed []byte) int { return len(sealed) - 1 - int(sealed[0]>>4) - token.TagSize }

// fanOut copies and seals payloads for every client.
func (l *sceneLimit) fanOut(payloads *sceneBag) {
	for i := range l.clients {
		c := &l.clients[i]
		c.out.reset()
		for payload := range payloads.each {
			c.seal(l.buf[:copy(l.buf[:], payload)])
		}
	}
}

// slope returns the nanoseconds of one more client, by least squares.
func (f *fanOut) slope() float64 {
	var clients, took [len(fanOutClients)]float64
	for i := range f.took {
		clients[i], took[i] = float64(fanOutClients[i]), median(f.took[i])
	}
	x, y := mean(clients[:]), mean(took[:])
	var above, below float64
	for i := range clients {
		above += (clients[i] - x) * (took[i] - y)
		below += (clients[i] - x) * (clients[i] - x)
	}
	return above / below
}

func mean(all []float64) (sum float64) {
	for _, v := range all {
		sum += v / float64(len(all))
	}
	return sum
}

func (f *fanOut) equal() error {
	for i, s := range f.scenes {
		if err := s.equal(f.limits[i], nil); err != nil {
			return err
		}
	}
	return nil
}
