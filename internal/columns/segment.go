package columns

import (
	"unsafe"

	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// shape describes the columns of all segments with the same component mask.
type shape struct {
	present set.Mask   // without the marker
	cols    []shapeCol // the columns with bytes; the marker is the last
	place   []int      // for each column its index in cols, or -1
	rowSize int        // bytes of a packed row
	retired []*segment // segments without rows, whose memory can be reused
}

// shapeCol is one column of a shape.
type shapeCol struct {
	id      ecs.ID
	col     int // index in Table.cols
	size    int // bytes of one row
	offset  int // in a packed row
	diff    diffFunc
	inexact bool // Column.Equal has to decide
}

// view is one column of one segment: Arche's memory and its shadow, both in row order.
type view struct{ base, shadow unsafe.Pointer }

// segment is the rows of one Arche archetype, which has one component mask and one relation target.
type segment struct {
	rows  []Slot
	views []view // parallel to shape.cols
	place []int  // equal to shape.place, to save an indirection
	shape *shape
	key   segmentKey
	block []byte // the shadows of all columns, each with memory for room rows
	room  int
	index int // in segmentTable.all

	order rowOrder // of rows, computed when a column is copied
	runs  []rowRun // if order is inRuns

	dirty   bool     // in syncWork.dirty
	left    []uint32 // rows that touched slots had; the slots may have moved
	arrived []int32  // indices in syncWork.moves
}

type segmentKey struct {
	mask   ecs.Mask
	target ecs.Entity
}

// segmentTable holds the segments of a table.
type segmentTable struct {
	all      []*segment
	outlines []outline // parallel to all
	byKey    map[segmentKey]*segment
	last     *segment // the last result of segmentOf
}

// segmentOf returns the segment of the entities with this mask and target.
func (st *segmentTable) segmentOf(sc *schema, key segmentKey) *segment {
	if st.last != nil && st.last.key == key {
		return st.last
	}
	seg, ok := st.byKey[key]
	if !ok {
		seg = st.addSegment(sc.shapeOf(key.mask), key)
	}
	st.last = seg
	return seg
}

func (st *segmentTable) addSegment(sh *shape, key segmentKey) *segment {
	var seg *segment
	if n := len(sh.retired); n > 0 {
		seg, sh.retired = sh.retired[n-1], sh.retired[:n-1]
	} else {
		seg = &segment{shape: sh, place: sh.place, views: make([]view, len(sh.cols))}
	}
	seg.key, seg.index = key, len(st.all)
	st.all = append(st.all, seg)
	st.outlines = append(st.outlines, outline{views: seg.views, cols: sh.cols})
	st.byKey[key] = seg
	return seg
}

// retire removes an empty segment from the table, because each relation target has segments of its
// own and targets come and go. Its memory is reused for the next segment of the same shape.
func (st *segmentTable) retire(seg *segment) {
	last := len(st.all) - 1
	st.all[seg.index] = st.all[last]
	st.all[seg.index].index = seg.index
	st.all = st.all[:last]
	st.outlines[seg.index] = st.outlines[last]
	st.outlines = st.outlines[:last]
	delete(st.byKey, seg.key)
	if st.last == seg {
		st.last = nil
	}
	for i := range seg.views {
		seg.views[i].base = nil
	}
	seg.shape.retired = append(seg.shape.retired, seg)
}

// valueAt returns the bytes of one row in Arche's memory.
func (v *view) valueAt(row uint32, size int) []byte {
	return (*[1 << 30]byte)(unsafe.Add(v.base, int(row)*size))[:size:size]
}

// shadowAt returns the bytes of one row of the shadow.
func (v *view) shadowAt(row uint32, size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(v.shadow, int(row)*size)), size)
}

// minRoom is the least number of rows that a shadow has memory for. It is small, because there may
// be thousands of segments with a few children each.
const minRoom = 4

// reserve grows the shadow of a segment to at least n rows and keeps its values.
func (seg *segment) reserve(n int) {
	if n <= seg.room {
		return
	}
	room := max(minRoom, seg.room)
	for room < n {
		room *= 2
	}
	block := make([]byte, max(1, room*seg.shape.rowSize))
	for i := range seg.views {
		c, v := &seg.shape.cols[i], &seg.views[i]
		to := block[room*c.offset:]
		if seg.room > 0 {
			copy(to, unsafe.Slice((*byte)(v.shadow), seg.room*c.size))
		}
		v.shadow = unsafe.Pointer(&to[0])
	}
	seg.block, seg.room = block, room
}
