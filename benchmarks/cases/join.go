package cases

import (
	"slices"
	"time"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// In the case join, one client after the other joins a world of 10,000 entities, and leaves when it
// has all of them. The first figure is the slowest of a hundred ticks with a joining client,
// compared with the median tick without one, while 100 clients play and a tenth of the entities
// moves. The second figure is the bytes of a join, from the first packet to the message that all
// entities have arrived, compared with the payloads of the hand-written codec for as many entities.
// Clients do not decode here. One operation is a server's tick.
const (
	joinEntities = 10_000
	joinClients  = 100
	joinPause    = 40 // ticks from the beginning of one join to the next

	joinRounds      = 300
	joinRoundsAlone = 100
)

func joinVariants() []report.Variant {
	crowd := sceneConfig{entities: joinEntities, clients: joinClients, guests: 1, percent: 10, rtt: sixTicks, deaf: true}
	alone := crowd
	alone.clients, alone.percent = 1, 0
	return []report.Variant{
		{Name: "join/tick", Goal: 2, Unit: "x a tick without", Rounds: joinRounds, Heavy: true, Prepare: func() (report.Sides, error) {
			return joinPrepare(crowd, joinRounds, (*joinScene).slowest)
		}},
		{Name: "join/bytes", Goal: 1.1, Unit: "x the plain encoding", Rounds: joinRoundsAlone, Heavy: true, Prepare: func() (report.Sides, error) {
			return joinPrepare(alone, joinRoundsAlone, (*joinScene).size)
		}},
	}
}

// joinScene is a scene that a client joins from time to time.
type joinScene struct {
	*scene
	guest *sceneClient
	turn  int
	turns int // the number of ticks in which a client may join
	came  int
	plain int // payload bytes of all entities in the limit's codec

	calm, busy []float64 // nanoseconds of ticks without and with a joining client
	joined     []uint64  // payload bytes of each join
}

func joinPrepare(cfg sceneConfig, turns int, figure func(*joinScene) float64) (report.Sides, error) {
	s, err := newScene(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	l, err := limits.NewSceneLimit(cfg.entities, 1)
	if err != nil {
		return report.Sides{}, err
	}
	l.Move(100)
	l.Detect()
	j := &joinScene{scene: s, turns: turns}
	for payload := range l.Packed().Each {
		j.plain += len(payload)
	}
	for range sceneWarm {
		s.before()
		s.runServerTick()
	}
	return report.Sides{
		Before: j.beginTick,
		Ours:   j.sendTick,
		Limit:  func() {},
		Bytes:  j.guestBytes,
		Figure: func() float64 { return figure(j) },
		Verify: func() error { return s.err },
	}, nil
}

// beginTick begins the next tick, in which a client may join or leave. After the last of the turns
// no client does.
func (j *joinScene) beginTick() {
	j.turn++
	switch {
	case j.guest != nil && (j.guest.server.SendProgress().Done() || j.turn > j.turns):
		j.part()
	case j.guest == nil && j.turn%joinPause == 1 && j.turn <= j.turns:
		j.welcome()
	}
	j.before()
}

func (j *joinScene) welcome() {
	j.came++
	c, err := j.connect(j.cfg.clients + j.came)
	if j.recordError(err); err != nil {
		return
	}
	c.shown, j.guest = true, c
	j.clients = append(j.clients, c)
}

func (j *joinScene) part() {
	if j.guest.server.SendProgress().Done() {
		j.joined = append(j.joined, j.guest.server.Stats().BytesOut)
	}
	j.guest.server.Close()
	j.session.Disconnect(j.guest.slot, j.now)
	for _, ok := j.session.PollEvent(); ok; _, ok = j.session.PollEvent() {
	}
	for _, _, ok := j.session.PollDatagram(); ok; _, _, ok = j.session.PollDatagram() {
	}
	j.clients, j.guest = j.clients[:j.cfg.clients], nil
}

// sendTick runs a tick of the server and records its time.
func (j *joinScene) sendTick() {
	begun := time.Now()
	j.scene.runServerTick()
	took := float64(time.Since(begun))
	switch {
	case j.guest == nil:
		j.calm = append(j.calm, took)
	case j.guest.server.Replication() != nil:
		j.busy = append(j.busy, took)
	}
}

// guestBytes returns the bytes that the joining client was sent in the last tick.
func (j *joinScene) guestBytes() int {
	if j.guest == nil {
		return 0
	}
	return len(j.guest.out.Data)
}

// slowest returns the slowest of a hundred ticks with a joining client, divided by the median tick
// without one.
func (j *joinScene) slowest() float64 {
	if len(j.busy) == 0 || len(j.calm) == 0 {
		return 0
	}
	slices.Sort(j.busy)
	return j.busy[len(j.busy)*99/100] / report.Median(j.calm)
}

// size returns the bytes of a join, divided by those of the plain encoding.
func (j *joinScene) size() float64 {
	if len(j.joined) == 0 {
		return 0
	}
	slices.Sort(j.joined)
	return float64(j.joined[len(j.joined)/2]) / float64(j.plain)
}
