package interest

// roster holds the memberships of clients, or of entities, in rooms. Each membership is linked into
// the list of its room and the list of its member.
type roster struct {
	links   []link // index 0 stands for none
	free    int32  // the first unused link; unused links are chained by nextMember
	used    int
	members []int32 // for each room the first link of its list
	rooms   []int32 // for each member the first link of its list
}

type link struct {
	member, room           int32
	nextMember, prevMember int32 // in the list of the room
	nextRoom, prevRoom     int32 // in the list of the member
}

func newRoster() roster { return roster{links: make([]link, 1)} }

// ofRoom returns the first link of a room, or 0 if it has no member.
func (r *roster) ofRoom(room int32) int32 { return first(r.members, int(room)) }

// ofMember returns the first link of a member, or 0 if it is in no room.
func (r *roster) ofMember(member int) int32 { return first(r.rooms, member) }

func first(list []int32, i int) int32 {
	if i >= len(list) {
		return 0
	}
	return list[i]
}

// findLink returns the link of a member with a room, or 0.
func (r *roster) findLink(member int, room int32) int32 {
	l := r.ofMember(member)
	for l != 0 && r.links[l].room != room {
		l = r.links[l].nextRoom
	}
	return l
}

func (r *roster) link(member int, room int32) {
	r.members = growTo(r.members, int(room))
	r.rooms = growTo(r.rooms, member)
	l := r.newLink()
	r.links[l] = link{
		member: int32(member), room: room, nextMember: r.members[room], nextRoom: r.rooms[member],
	}
	r.links[r.members[room]].prevMember = l // link 0 stands for none, so its fields are not used
	r.links[r.rooms[member]].prevRoom = l
	r.members[room], r.rooms[member] = l, l
	r.used++
}

func growTo(list []int32, i int) []int32 {
	for len(list) <= i {
		list = append(list, 0)
	}
	return list
}

func (r *roster) newLink() int32 {
	if l := r.free; l != 0 {
		r.free = r.links[l].nextMember
		return l
	}
	r.links = append(r.links, link{})
	return int32(len(r.links) - 1)
}

func (r *roster) unlink(l int32) {
	at := r.links[l]
	if at.prevMember != 0 {
		r.links[at.prevMember].nextMember = at.nextMember
	} else {
		r.members[at.room] = at.nextMember
	}
	if at.prevRoom != 0 {
		r.links[at.prevRoom].nextRoom = at.nextRoom
	} else {
		r.rooms[at.member] = at.nextRoom
	}
	r.links[at.nextMember].prevMember = at.prevMember
	r.links[at.nextRoom].prevRoom = at.prevRoom
	r.links[l] = link{nextMember: r.free}
	r.free = l
	r.used--
}
