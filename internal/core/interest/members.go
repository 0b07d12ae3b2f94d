package interest

// Holds reports whether an entity is in a room.
func (r *Relevance) Holds(number uint32, entity int) bool {
	at := r.rooms.lookup(number)
	return at >= 0 && r.rooms.entities.findLink(entity, at) != 0
}

// AppendEntities appends the entities that are in a room.
func (r *Relevance) AppendEntities(dst []int, number uint32) []int {
	at := r.rooms.lookup(number)
	if at < 0 {
		return dst
	}
	members := &r.rooms.entities
	for l := members.ofRoom(at); l != 0; l = members.links[l].nextMember {
		dst = append(dst, int(members.links[l].member))
	}
	return dst
}
