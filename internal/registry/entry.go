package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// Entry describes one registered item that must be the same on both sides.
type Entry struct {
	Kind   Kind
	Number int    // the number in its info; the value of a setting
	Name   string // the type with its package path, or the name of the channel or setting
	Hash   uint64 // of the fields, tags and the version of a codec

	// Options are the options that must agree and that differ from their defaults. They are listed
	// and not part of the hash, so that a developer can read which of them differs.
	Options []Option
}

// wireFormat is increased whenever a plan encodes values of the same type to other bits.
const wireFormat = 2

// SetEntries sets Entries and Hash from the rest of the registry.
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
			continue // its entry as an input covers it
		}
		add(KindComponent, i.Number, i.Name, i.Plan.Description()+i.relationship(),
			Option{"Predict", i.Predict.String()},
			option("ReplicateOnce", i.Once), option("Delta", i.Delta), option("Motion", i.Motion),
			Option{"Diff", i.Plan.DifferName()}, option("Hierarchy", i.Hierarchy))
	}
	for _, i := range r.Inputs {
		add(KindInput, i.Number, i.Name, i.Plan.Description(), option("Rebroadcast", i.Rebroadcast))
	}
	for _, i := range r.Messages {
		add(KindMessage, i.Number, i.Name, i.Plan.Description(),
			Option{"Mode", i.Mode.String()}, Option{"Direction", i.Direction.String()}, Option{"Via", i.via()}, option("Relay", i.Relay), option("WhenShown", i.WhenShown))
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
	for n, i := range r.Intents {
		add(KindIntent, n, i.Name(), "")
	}
	r.Hash = hashOfAll(r.Entries)
}

func hashOfAll(entries []Entry) uint64 {
	h := sha256.New()
	for _, e := range entries {
		fmt.Fprintf(h, "%d %d %q %016x %q\n", e.Kind, e.Number, e.Name, e.Hash, e.Options)
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

func hashOf(description string) uint64 {
	sum := sha256.Sum256([]byte(description))
	return binary.LittleEndian.Uint64(sum[:])
}

// relationship returns the part of a component's description that tells whether it is a relation.
func (i *Component) relationship() string {
	if i.Relation {
		return " relation"
	}
	return ""
}

// via returns the name of the message's own channel, or "".
func (m *Message) via() string {
	if m.Channel == nil {
		return ""
	}
	return m.Channel.Name
}

// Diff describes the entries in which a server and a client differ, in words for developers. It
// returns "" if there are none. It does not list names that differ only in their number, because it
// lists the entries that caused the shift. The text is the same on both sides, because each may be
// shown the text of the other. If there are very many differences, only the first are listed.
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

// maxDiff is the most bytes of the result of Diff. A peer can send any entries, and the differences
// are logged.
const maxDiff = 4 << 10

// joinDifferences lists as many differences as fit, but at least one, and tells how many more there
// are.
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
	return fmt.Sprintf("%s in %v %s", strings.Join(found, ", "), server.Kind, server.Name) // last, because the name may be long and the text may be truncated
}
