package scene_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/scene"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/transport"
)

var update = flag.Bool("update", false, "write the traces that scripts leave into their files")

type Spot struct{ X, Y int8 }

type Health struct{ Points uint8 }

type Aim struct{ At ecs.Entity }

var sceneTypes = []reflect.Type{
	reflect.TypeFor[Spot](), reflect.TypeFor[Health](), reflect.TypeFor[Aim](),
}

const sceneStep = 20 * time.Millisecond

// copyScene is the simplest possible scene: in every step each client sends a hello, and the server
// sends each known client the whole world, which the client copies. It replaces a game, so that
// verbs and lines are tested without replication.
type copyScene struct {
	clock    netsim.Clock
	network  *netsim.Network
	server   *ecs.World
	at       *netsim.Listener
	conn     transport.Conn
	received map[int]bool
	step     byte
	players  map[int]*copyPlayer
	made     int
}

type copyPlayer struct {
	line   *netsim.Line
	conn   transport.Conn
	world  *ecs.World
	copies map[ecs.Entity]ecs.Entity
	step   byte
}

func newCopyScene(t *testing.T) *copyScene {
	s := &copyScene{received: map[int]bool{}, players: map[int]*copyPlayer{}}
	s.network = netsim.NewNetwork(1, s.clock.Now)
	w := ecs.NewWorld()
	s.server = &w
	s.at = s.network.Listener()
	var err error
	s.conn, err = s.at.Listen()
	require.NoError(t, err)
	return s
}

func (s *copyScene) Clients() []int { return slices.Sorted(maps.Keys(s.players)) }

func (s *copyScene) Line(client int) *netsim.Line { return s.players[client].line }

func (s *copyScene) Connect() (int, error) {
	line := s.network.Line()
	conn, err := line.Dial(s.at.Addr())
	if err != nil {
		return 0, err
	}
	w := ecs.NewWorld()
	s.made++
	s.players[s.made] = &copyPlayer{line: line, conn: conn, world: &w, copies: map[ecs.Entity]ecs.Entity{}, step: s.step}
	return s.made, nil
}

func (s *copyScene) Disconnect(client int) error {
	err := s.players[client].conn.Close()
	delete(s.players, client)
	return err
}

func (s *copyScene) World(number int) *ecs.World {
	if number == 0 {
		return s.server
	}
	return s.players[number].world
}

func (s *copyScene) Local(client int, server ecs.Entity) (ecs.Entity, bool) {
	local, ok := s.players[client].copies[server]
	return local, ok
}

func (s *copyScene) Equal() error {
	want := s.packet(s.server, 0, func(e ecs.Entity) ecs.Entity { return e })
	for _, client := range s.Clients() {
		p := s.players[client]
		back := map[ecs.Entity]ecs.Entity{}
		for server, local := range p.copies {
			back[local] = server
		}
		if got := s.packet(p.world, 0, func(e ecs.Entity) ecs.Entity { return back[e] }); !reflect.DeepEqual(got, want) {
			return fmt.Errorf("client %d has %d entities that differ from the server's %d", client, len(p.copies), len(want)/7)
		}
	}
	return nil
}

// packet writes a whole world: the id, components and values of each entity.
func (s *copyScene) packet(w *ecs.World, step byte, name func(ecs.Entity) ecs.Entity) []byte {
	var entities [][]byte
	ids := s.ids(w)
	query := w.Query(ecs.All(ids[0]))
	for query.Next() {
		e := query.Entity()
		row := make([]byte, 6, 8)
		row[0] = byte(name(e).ID())
		spot := (*Spot)(query.Get(ids[0]))
		row[1], row[2] = byte(spot.X), byte(spot.Y)
		if query.Has(ids[1]) {
			row[3], row[4] = 1, (*Health)(query.Get(ids[1])).Points
		}
		if query.Has(ids[2]) {
			row[5] = 1
			row = append(row, byte(name((*Aim)(query.Get(ids[2])).At).ID()))
		}
		entities = append(entities, row)
	}
	slices.SortFunc(entities, func(a, b []byte) int { return int(a[0]) - int(b[0]) })
	packet := []byte{step}
	for _, row := range entities {
		packet = append(packet, append(row, make([]byte, 7-len(row))...)...)
	}
	return packet
}

func (s *copyScene) ids(w *ecs.World) (ids [3]ecs.ID) {
	for i, t := range sceneTypes {
		ids[i] = ecs.TypeID(w, t)
	}
	return ids
}

func (s *copyScene) Run(d time.Duration, trace *script.Trace) error {
	for end := s.clock.Since() + d; s.clock.Since() < end; {
		s.clock.Advance(sceneStep)
		s.step++
		if err := errors.Join(s.stepServer(trace), s.stepClients(trace)); err != nil {
			return err
		}
	}
	return nil
}

func (s *copyScene) stepServer(trace *script.Trace) error {
	buf := make([]byte, entangle.MaxDatagram)
	for {
		n, from, err := s.conn.Receive(buf)
		if errors.Is(err, transport.ErrEmpty) {
			return nil
		}
		if err != nil {
			return err
		}
		client := int(buf[0])
		if n == 1 && !s.received[client] {
			s.received[client] = true
			trace.Printf("%v server hears client %d", s.clock.Since(), client)
		}
		packet := s.packet(s.server, s.step, func(e ecs.Entity) ecs.Entity { return e })
		if _, err := s.conn.Send([]transport.Datagram{{Addr: from, Data: packet}}); err != nil {
			return err
		}
	}
}

func (s *copyScene) stepClients(trace *script.Trace) error {
	for _, client := range s.Clients() {
		p := s.players[client]
		hello := transport.Datagram{Addr: s.at.Addr(), Data: []byte{byte(client)}}
		if _, err := p.conn.Send([]transport.Datagram{hello}); err != nil {
			return err
		}
		before := len(p.copies)
		s.receive(p)
		if len(p.copies) != before {
			trace.Printf("%v client %d has %d entities", s.clock.Since(), client, len(p.copies))
		}
	}
	return nil
}

func (s *copyScene) receive(p *copyPlayer) {
	buf := make([]byte, entangle.MaxDatagram)
	for {
		n, _, err := p.conn.Receive(buf)
		if err != nil {
			return
		}
		if int8(buf[0]-p.step) > 0 {
			p.step = buf[0]
			s.copyWorld(p, buf[1:n])
		}
	}
}

// copyWorld makes a client's world equal to a packet, by building it again.
func (s *copyScene) copyWorld(p *copyPlayer, rows []byte) {
	ids := s.ids(p.world)
	for _, e := range p.copies {
		p.world.RemoveEntity(e)
	}
	clear(p.copies)
	byID := map[byte]ecs.Entity{}
	for row := range slices.Chunk(rows, 7) {
		byID[row[0]] = p.world.NewEntity(ids[0])
		p.copies[s.serverEntity(row[0])] = byID[row[0]]
	}
	for row := range slices.Chunk(rows, 7) {
		e := byID[row[0]]
		*(*Spot)(p.world.Get(e, ids[0])) = Spot{int8(row[1]), int8(row[2])}
		if row[3] == 1 {
			p.world.Assign(e, ecs.Component{ID: ids[1], Comp: &Health{row[4]}})
		}
		if row[5] == 1 {
			p.world.Assign(e, ecs.Component{ID: ids[2], Comp: &Aim{byID[row[6]]}})
		}
	}
}

// serverEntity looks up an id that was sent. Ids in use are unique in a world. The id of a
// despawned entity gets an entry in the map that is never used.
func (s *copyScene) serverEntity(id byte) ecs.Entity {
	query := s.server.Query(ecs.All())
	found := ecs.Entity{}
	for query.Next() {
		if byte(query.Entity().ID()) == id {
			found = query.Entity()
		}
	}
	return found
}

func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			script.Check(t, path, scene.StandardVerbs(newCopyScene(t), sceneTypes...), *update)
		})
	}
}

// Every mistake in a script and every unmet expectation ends the script with an error that is a
// sentence.
func TestScriptsFailWithASentence(t *testing.T) {
	for text, want := range map[string]string{
		"spawn a Spot=1":                     "Spot: fewer values than it has fields",
		"spawn a Spot=1,2,3":                 "Spot: more values than it has fields",
		"spawn a Spot=1,300":                 `Spot: "300" is no int8`,
		"spawn a Spot=Y:1,Y:300":             `Spot: "300" is no int8`,
		"spawn a Spot=Z:1":                   `Spot: "Z:1" is no int8`,
		"spawn a Spot=Y:1,2":                 "Spot: more values than it has fields",
		"spawn a Spot=1*3":                   "Spot: more values than it has fields",
		"spawn a Spot=1*0":                   `Spot: "0" is no number of times from 1 to 65536`,
		"spawn a Spot=1*65537":               `Spot: "65537" is no number of times from 1 to 65536`,
		"spawn a Place":                      `no component "Place"; there are Aim, Health, Spot`,
		"spawn a Spot Spot":                  "the component Spot stands there twice",
		"spawn a":                            "an argument is missing",
		"spawn a Spot\nspawn a Spot":         `"a" lives already`,
		"spawn a Aim=@b":                     `Aim: "@b" is no entity; write @ and the name it was spawned as, or @ for none`,
		"despawn a":                          `no entity was spawned as "a"`,
		"spawn a Spot\ndespawn a\ndespawn a": `"a" is despawned`,
		"spawn a Spot\ninsert a Spot":        `"a" has the component *scene_test.Spot already`,
		"spawn a Spot\nremove a Health":      `"a" has no Health`,
		"spawn a Spot\nremove a":             "an argument is missing",
		"spawn a Spot\nset a Health=3":       `"a" has no component *scene_test.Health`,
		"loss 5% 1":                          `"1" is no client; there are []`,
		"connect 1\nlatency 2h":              "conditioner: Config.Latency is 2h0m0s; give a duration from 0 to 1h0m0s",
		"expect a":                           `no entity was spawned as "a"`,
		joined + "expect a":                  "client 1: it has no copy",
		joined + "expect equal":              "client 1 has 0 entities that differ from the server's 1",
		joined + "run 1s\nexpect no a":       "client 1: it has a copy",
		joined + "set a Spot=4*2\nrun 1s\nexpect a Spot=1,3": "client 1: Spot is 4,4",
		joined + "run 1s\nexpect a Spot=1,3":                 "client 1: Spot is 1,2",
		joined + "run 1s\nexpect a Health":                   "client 1: its copy has no Health",
		joined + "run 1s\nexpect a -Spot on 1":               "client 1: its copy has Spot",
		joined + "run 1s\nset a Spot=9,9\nexpect equal":      "client 1 has 1 entities that differ from the server's 1",
	} {
		steps, err := script.Parse("s", text)
		require.NoError(t, err)
		_, err = steps.Run(scene.StandardVerbs(newCopyScene(t), sceneTypes...))
		assert.ErrorContains(t, err, want, text)
	}
}

const joined = "connect 1\nspawn a Spot=1,2\n"
