package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Entry is one thing that both sides must have alike.
type Entry struct {
	Kind   Kind
	Number int    // as in the infos; for settings their value
	Name   string // type names with package path, channel names, names of settings
	Hash   uint64 // over all that must agree: fields, tags, options
}

// wireFormat changes whenever a plan writes the same type in other bits.
const wireFormat = 1

// Entries returns all that both sides must have alike, by kind and number.
func (p *Protocol) Entries() []Entry {
	p.build()
	return slices.Clone(p.entries)
}

// Hash returns the hash over all entries. It is equal on all machines for equal
// registrations, in whatever order they were made.
func (p *Protocol) Hash() uint64 {
	p.build()
	h := sha256.New()
	for _, e := range p.entries {
		fmt.Fprintf(h, "%d %d %q %016x\n", e.Kind, e.Number, e.Name, e.Hash)
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// list makes the entries.
func (p *Protocol) list() (all []Entry) {
	add := func(kind Kind, number int, name, format string, args ...any) {
		all = append(all, Entry{kind, number, name, hashOf(fmt.Sprintf(format, args...))})
	}
	add(KindSetting, wireFormat, "wire format", "")
	add(KindSetting, p.config.TickRate, "tick rate", "")
	add(KindSetting, 0, "game name", "%s", p.config.Name)
	for _, r := range p.components {
		i := &r.info
		if i.Input {
			continue // what is below says it all
		}
		add(KindComponent, i.Number, i.Name, "%s|%v once=%v delta=%v motion=%v adaptive=%v diff=%q predict=%v%s",
			i.Plan.description(), i.Direction, i.Once, i.Delta, i.Motion, i.Adaptive, i.Plan.differName(), i.Predict, i.kinship())
	}
	for _, r := range p.inputs {
		i := &r.info
		add(KindInput, i.Number, i.Name, "%s|rebroadcast=%v", i.Plan.description(), i.Rebroadcast)
	}
	for _, r := range p.messages {
		i := &r.info
		add(KindMessage, i.Number, i.Name, "%s|%v %v via=%q relay=%v", i.Plan.description(), i.Mode, i.Direction, i.via(), i.Relay)
	}
	for _, r := range p.requests {
		i := &r.info
		add(KindRequest, i.Number, i.Name, "%s|%s", i.Question.description(), i.Answer.description())
	}
	for _, r := range p.resources {
		i := &r.info
		add(KindResource, i.Number, i.Name, "%s|rollback=%v", i.Plan.description(), i.Rollback)
	}
	for _, c := range p.channels {
		add(KindChannel, c.Number, c.Name, "%v %v", c.Mode, c.Direction)
	}
	return all
}

func hashOf(description string) uint64 {
	sum := sha256.Sum256([]byte(description))
	return binary.LittleEndian.Uint64(sum[:])
}

// description says how the type is sent: names of fields, kinds, ranges, steps.
func (p *Plan) description() string {
	if p == nil {
		return "unfit"
	}
	return p.describe
}

// via is the name of the message's own channel, if it has one.
func (m *MessageInfo) via() string {
	if m.Channel == nil {
		return ""
	}
	return m.Channel.Name
}

// Diff says in which entries a server and a client differ, each difference in a
// few words for a developer to read, or "" if in none. Names that differ only in
// their number are not listed: the entries that shifted them are. The words are
// the same on both sides, because each may be shown the other's.
func Diff(server, client []Entry) string {
	type key struct {
		kind Kind
		name string
	}
	clients := make(map[key]Entry, len(client))
	for _, e := range client {
		clients[key{e.Kind, e.Name}] = e
	}
	var found []string
	for _, e := range server {
		k := key{e.Kind, e.Name}
		other, ok := clients[k]
		delete(clients, k)
		if words := difference(e, other, ok); words != "" {
			found = append(found, words)
		}
	}
	for _, e := range client {
		if _, left := clients[key{e.Kind, e.Name}]; left {
			found = append(found, fmt.Sprintf("%v %s is registered only on the client", e.Kind, e.Name))
			delete(clients, key{e.Kind, e.Name})
		}
	}
	return strings.Join(found, "; ")
}

func difference(server, client Entry, ok bool) string {
	switch {
	case !ok:
		return fmt.Sprintf("%v %s is registered only on the server", server.Kind, server.Name)
	case server.Kind == KindSetting && server.Number != client.Number:
		return fmt.Sprintf("%v %s is %d on the server and %d on the client", server.Kind, server.Name, server.Number, client.Number)
	case server.Hash == client.Hash:
		return ""
	case server.Kind == KindSetting:
		return fmt.Sprintf("%v %s differs", server.Kind, server.Name)
	case server.Kind == KindChannel:
		return fmt.Sprintf("%v %s differs in its mode or direction", server.Kind, server.Name)
	default:
		return fmt.Sprintf("%v %s differs in its fields, their order, types or tags, or in an option", server.Kind, server.Name)
	}
}
