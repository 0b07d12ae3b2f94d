package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// Entry is one thing that both sides must have alike.
type Entry struct {
	Kind   Kind
	Number int    // as in the infos; for settings their value
	Name   string // type names with package path, channel names, names of settings
	Hash   uint64 // over fields, tags and the version of a codec

	// Options that must agree, where they are not the default: in a list, and not in the
	// hash, so that a developer reads which of them differs.
	Options []Option
}

// wireFormat changes whenever a plan writes the same type in other bits.
const wireFormat = 1

// SetEntries makes the entries of all else in the registry.
func (r *Registry) SetEntries() {
	r.Entries = nil
	add := func(kind Kind, number int, name, description string, options ...Option) {
		r.Entries = append(r.Entries, Entry{kind, number, name, hashOf(description), given(options)})
	}
	add(KindSetting, wireFormat, "wire format", "")
	add(KindSetting, r.TickRate, "tick rate", "")
	add(KindSetting, 0, "game name", "", Option{"value", r.Name})
	for _, i := range r.Components {
		if i.Input {
			continue // its entry as an input includes all
		}
		add(KindComponent, i.Number, i.Name, i.Plan.Description()+i.relationship(),
			Option{"Predict", i.Predict.String()},
			option("ReplicateOnce", i.Once), option("Delta", i.Delta), option("Motion", i.Motion),
			option("Adaptive", i.Adaptive), Option{"Diff", i.Plan.DifferName()}, option("Hierarchy", i.Hierarchy))
	}
	for _, i := range r.Inputs {
		add(KindInput, i.Number, i.Name, i.Plan.Description(), option("Rebroadcast", i.Rebroadcast))
	}
	for _, i := range r.Messages {
		add(KindMessage, i.Number, i.Name, i.Plan.Description(),
			Option{"Mode", i.Mode.String()}, Option{"Direction", i.Direction.String()}, Option{"Via", i.via()}, option("Relay", i.Relay))
	}
	for _, i := range r.Requests {
		add(KindRequest, i.Number, i.Name, i.Question.Description()+"|"+i.Answer.Description())
	}
	for _, i := range r.Resources {
		add(KindResource, i.Number, i.Name, i.Plan.Description(), option("Rollback", i.Rollback))
	}
	for _, c := range r.Channels {
		add(KindChannel, c.Number, c.Name, "", Option{"Mode", c.Mode.String()}, Option{"Direction", c.Direction.String()})
	}
}

func hashOf(description string) uint64 {
	sum := sha256.Sum256([]byte(description))
	return binary.LittleEndian.Uint64(sum[:])
}

// relationship is the part of a component's hash that says whether it is a relation.
func (i *Component) relationship() string {
	if i.Relation {
		return " relation"
	}
	return ""
}

// via is the name of the message's own channel, if it has one.
func (m *Message) via() string {
	if m.Channel == nil {
		return ""
	}
	return m.Channel.Name
}

// Diff says in which entries a server and a client differ, each difference in a
// few words for a developer to read, or "" if in none. Names that differ only in
// their number are not listed: the entries that shifted them are. The words are
// the same on both sides, because each may be shown the other's. Of very many differences
// the first are listed.
func Diff(server, client []Entry) string {
	type key struct {
		kind Kind
		name string
	}
	clients := make(map[key]Entry, len(client))
	for _, e := range client {
		clients[key{kind: e.Kind, name: e.Name}] = e
	}
	var found []string
	for _, e := range server {
		k := key{kind: e.Kind, name: e.Name}
		other, ok := clients[k]
		delete(clients, k)
		if words := difference(e, other, ok); words != "" {
			found = append(found, words)
		}
	}
	for _, e := range client {
		if _, left := clients[key{kind: e.Kind, name: e.Name}]; left {
			found = append(found, fmt.Sprintf("%v %s is registered only on the client", e.Kind, e.Name))
			delete(clients, key{kind: e.Kind, name: e.Name})
		}
	}
	return joinDifferences(found)
}

// maxDiff bounds what Diff says, in bytes: a peer can claim any entries, and what differs ends
// up in a log.
const maxDiff = 4 << 10

// joinDifferences lists as many differences as there is room for, one at least, and says how
// many more there are.
func joinDifferences(found []string) string {
	var b strings.Builder
	for i, words := range found {
		switch {
		case i == 0:
			b.WriteString(strings.ToValidUTF8(words[:min(len(words), maxDiff)], ""))
		case b.Len()+len(words) > maxDiff:
			fmt.Fprintf(&b, "; and %d more", len(found)-i)
			return b.String()
		default:
			b.WriteString("; " + words)
		}
	}
	return b.String()
}

func difference(server, client Entry, ok bool) string {
	if !ok {
		return fmt.Sprintf("%v %s is registered only on the server", server.Kind, server.Name)
	}
	var found []string
	if server.Kind == KindSetting && server.Number != client.Number {
		found = append(found, fmt.Sprintf("is %d on the server and %d on the client", server.Number, client.Number))
	}
	if server.Hash != client.Hash {
		found = append(found, "fields, their order, types or tags, or the version of the codec differ")
	}
	found = append(found, differentOptions(server, client)...)
	if len(found) == 0 {
		return ""
	}
	if server.Kind == KindSetting {
		return fmt.Sprintf("%v %s %s", server.Kind, server.Name, strings.Join(found, ", "))
	}
	return fmt.Sprintf("%s in %v %s", strings.Join(found, ", "), server.Kind, server.Name) // the name may be long, and the text is cut
}
