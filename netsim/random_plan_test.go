package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/entangle-ecs/entangle/plugin"
)

const (
	// maxGuests is the most clients of a random world.
	maxGuests = 4
	// maxEntities is the most entities of a random world without bursts. They are few, so that they
	// interact and ids are reused.
	maxEntities = 20
	// slowest is the greatest number of ticks between two updates of a group.
	slowest = 10
	// burst is the number of entities spawned at once.
	burst = 30
)

// plan is the course of a random world, as the commands of a script. It contains all randomness
// except that of the lines.
type plan struct {
	rng       *rand.Rand
	steps     []string
	entities  []*planned
	names     int
	clients   int
	outside   bool // the world is also changed between frames
	behind    time.Duration
	quiet     bool // no messages are sent
	interest  bool // interest decides about some of the entities
	grid      bool // there is a grid, so entities have places
	host      bool // the server has a player of its own
	theme     theme
	clock     clockPlan
	hands     handPlan
	predicted predictedPlan
	shown     shownPlan
	saplings  saplingPlan
	runner    int // how far it has run; 0: there is none
	endings   endingPlan
	pauses    *rand.Rand
	drops     *rand.Rand
	storms    *rand.Rand // nil if there are no storms
}

// randomSteps returns the commands for a seed.
func randomSteps(seed uint64) []string { return plannedSteps(seed, nil) }

// plannedSteps returns the commands for a seed, with storms if their generator is not nil.
func plannedSteps(seed uint64, storms *rand.Rand) []string {
	p := &plan{storms: storms, rng: rand.New(rand.NewPCG(seed, 0x72616e646f6d)), outside: seed%3 == 0, interest: seed%5 >= 2, grid: seed%5 == 4, host: seed%7 < 2}
	p.clock.rng = rand.New(rand.NewPCG(seed, 0x636c6f636b))
	p.hands = handPlan{rng: rand.New(rand.NewPCG(seed, 0x68616e64)), on: seed%4 > 0}
	p.predicted = predictedPlan{rng: rand.New(rand.NewPCG(seed, 0x666f7265)), on: seed%3 > 0}
	p.shown = newShownPlan(seed)
	p.saplings = newSaplingPlan(seed)
	p.endings = endingPlan{rand.New(rand.NewPCG(seed, 0x656e64))}
	p.pauses = rand.New(rand.NewPCG(seed, 0x7061757365))
	p.drops = rand.New(rand.NewPCG(seed, 0x64726f70))
	p.theme = themes[p.rng.IntN(len(themes))]
	p.predicted.on = p.predicted.on && !p.theme.calm
	p.configure()
	p.configureShots(seed)
	p.narrow(seed)
	p.say("world %d %d", seed, []int{30, 20, 75, 45}[seed%4])
	p.driftServer()
	p.age()
	p.connect()
	p.spawnRunner(seed)
	for range 40 {
		p.run(time.Duration(p.rng.IntN(200)) * ms)
		for range 1 + p.rng.IntN(2) {
			p.fault()
		}
		p.hang()
		p.postpone()
		p.storm()
		if p.outside && p.rng.IntN(3) == 0 {
			p.change("", 6)
		}
	}
	p.thaw()
	p.say("settle%s", map[bool]string{true: " 50%"}[seed%8 == 0])
	return p.steps
}

func (p *plan) say(format string, values ...any) {
	p.steps = append(p.steps, fmt.Sprintf(format, values...))
}

// configure limits some worlds: one in four by caps, two in five by the intervals at which they
// send.
func (p *plan) configure() {
	switch n := p.rng.IntN(8); {
	case p.theme.capped:
		p.say("configure perclient %d", plugin.LeastBytes)
	case n == 0:
		p.say("configure perclient %d", 16_000+p.rng.IntN(8_000))
	case n == 1:
		p.say("configure all %d", 16_000*maxGuests)
		p.say("configure client 16000")
	}
	if p.host {
		p.say("configure host 1")
	}
	if p.shown.on {
		p.say("configure interpolated 1")
	}
	if p.grid {
		p.say("configure grid %d", 1+p.rng.IntN(4))
	}
	switch p.rng.IntN(5) {
	case 0:
		p.say("configure every %d", 2+p.rng.IntN(5))
	case 1:
		p.say("configure every %d", 2+p.rng.IntN(5))
		p.say("configure clientevery %d", 2+p.rng.IntN(5))
	}
}

// configureShots has some worlds have blueprints, shots, and a server that rewinds.
func (p *plan) configureShots(seed uint64) {
	if p.saplings.on {
		p.say("configure blueprints 1")
	}
	if shots := p.shots(seed); shots > 0 {
		p.say("configure shots %d", shots)
	}
	if p.rewinds(seed) {
		p.say("configure rewinds 1")
	}
}

// narrow makes the clients of one world in four, and of all worlds with storms, keep little early
// data.
func (p *plan) narrow(seed uint64) {
	if p.storms != nil {
		p.say("configure waiting %d", 100+p.storms.IntN(900))
		return
	}
	if rng := rand.New(rand.NewPCG(seed, 0x726f6f6d)); rng.IntN(4) == 0 {
		p.say("configure waiting %d", []int{0, 100, 300, 800, 4000}[rng.IntN(5)]+20+rng.IntN(200))
	}
}

// run lets time pass, with changes in each tick.
func (p *plan) run(d time.Duration) {
	const tick = time.Second / 30
	ticks := int((p.behind + d) / tick)
	p.behind = (p.behind + d) % tick
	for n := range ticks {
		p.change(fmt.Sprintf("tick %d ", n+1), 4)
		p.drive(fmt.Sprintf("tick %d ", n+1))
		p.predict(fmt.Sprintf("tick %d ", n+1))
		p.interpolate(fmt.Sprintf("tick %d ", n+1))
		p.plant(n + 1)
		p.moveRunner(n + 1)
		p.planCoincidence(n + 1)
		p.leavePaused(n + 1)
		p.dropChild(n + 1)
	}
	if ticks > 0 {
		p.upheaval(fmt.Sprintf("tick %d ", 1+p.rng.IntN(ticks)))
	}
	p.say("run %v", d)
	p.clock.now += d
}

// fault causes a fault for some end.
func (p *plan) fault() {
	client := 1 + p.rng.IntN(p.clients)
	if p.quiet && p.rng.IntN(4) == 0 {
		p.quiet = false
		p.say("messages on")
	}
	if p.host && p.rng.IntN(6) == 0 {
		p.say("player %s", []string{"joins", "joins", "leaves", "is kicked"}[p.rng.IntN(4)])
	}
	switch p.rng.IntN(20) {
	case 0, 1:
		if p.clients < maxGuests {
			p.connect()
		}
	case 2:
		p.say("disconnect %d", client)
	case 3:
		p.say("kick %d kicked", client)
	case 4:
		p.say("cut %d", client)
	case 5, 6, 7:
		p.say("restore %d", client)
	case 8:
		p.line(client)
	case 9, 10, 11:
		p.say("reconnect")
	case 12:
		if len(p.entities) > 0 {
			p.say("persist %s %d", p.any().name, client)
		}
	case 13, 14:
		p.quiet = !p.quiet
		p.say("messages %s", map[bool]string{true: "off", false: "on"}[p.quiet])
	}
}

func (p *plan) connect() {
	p.say("connect 1")
	p.clients++
	p.line(p.clients)
	p.driftClient(p.clients)
	p.greet()
}

// line gives a client's line any behaviour, up to 300 ms and 50 % loss in each direction.
func (p *plan) line(client int) {
	if p.theme.calm {
		p.say("latency %v %d", time.Duration(p.rng.IntN(60))*ms, client)
		return
	}
	for _, way := range []string{"up", "down"} {
		p.say("latency %v %s %d", time.Duration(p.rng.IntN(300))*ms, way, client)
		p.say("jitter %v %s %d", time.Duration(p.rng.IntN(60))*ms, way, client)
		p.say("loss %d%% %s %d", []int{0, 5, 20, 50}[p.rng.IntN(4)], way, client)
		p.say("duplicate %d%% %s %d", []int{0, 0, 20}[p.rng.IntN(3)], way, client)
		p.say("reorder %d%% %s %d", []int{0, 10}[p.rng.IntN(2)], way, client)
	}
}

// change makes up to most random changes, a few of them to the structure. at is the prefix of the
// commands, which may name a tick.
func (p *plan) change(at string, most int) {
	for range p.rng.IntN(most + 1) {
		switch {
		case len(p.entities) < 4 || len(p.entities) < maxEntities && p.rng.IntN(12) == 0:
			p.spawn(at)
		case p.rng.IntN(8) < p.theme.often:
			p.theme.do(p, at)
		case p.rng.IntN(16) == 0:
			p.despawn(at, p.rng.IntN(len(p.entities)))
		case p.rng.IntN(5) == 0:
			p.reshape(at, p.any())
		case p.rng.IntN(20) == 0:
			p.pause(at, p.any())
		case p.interest && p.rng.IntN(3) == 0:
			p.matter(at)
		case p.rng.IntN(6) == 0:
			p.regroup(at)
		case p.rng.IntN(8) == 0:
			p.reveal(at, p.any())
		case p.rng.IntN(12) == 0:
			p.relate(at)
		case p.rng.IntN(12) == 0:
			p.resource(at)
		case p.rng.IntN(30) == 0:
			p.rate(at, p.any())
		default:
			p.writeComponent(at, p.any())
		}
	}
}

// upheaval is a burst of spawns, or of despawns if there was one.
func (p *plan) upheaval(at string) {
	switch {
	case len(p.entities) > maxEntities && p.rng.IntN(8) == 0:
		for len(p.entities) > 6 {
			p.despawn(at, p.rng.IntN(len(p.entities)))
		}
	case len(p.entities) <= maxEntities && p.rng.IntN(50) == 0:
		for range burst {
			p.spawn(at)
		}
	}
}

func (p *plan) any() *planned { return p.entities[p.rng.IntN(len(p.entities))] }
