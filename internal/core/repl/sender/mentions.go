package sender

// A mention is a handle that a peer knows from references and was never sent the group
// of. Nobody tells it when such a group ends, so its handle is not given to another
// while the peer may wait for it.

// maxMentions bounds the handles that one peer keeps from being used again. Beyond it, a
// reference to what a peer never got waits until its handle is another's: see repl.Since.
const maxMentions = 1 << 14

// mention notes that a record refers to an entity that was born in a group. Should that
// be hidden from the peer it keeps its handle, so that the reference is good when it is
// shown again.
func (p *Peer) mention(id groupID) {
	sp, i := p.find(id)
	if i >= 0 {
		sp.referred.Set(i)
	}
	if i < 0 || sp.phase[i] != unknown || sp.mentioned.Has(i) || p.mentions == maxMentions {
		return
	}
	sp.mentioned.Set(i)
	p.mentions++
	p.world.groups[id].natives++
}

// met takes a mention back: the peer was sent the group, or is gone.
func (p *Peer) met(sp *space, i int) {
	if !sp.mentioned.Has(i) {
		return
	}
	sp.mentioned.Clear(i)
	p.mentions--
	id := p.group(sp, i)
	p.world.groups[id].natives--
	p.world.rest(id)
}
