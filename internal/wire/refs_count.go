package wire

// manyRefs is how many entities MaxRefs speaks of at most.
const manyRefs = 1 << 16

// MaxRefs returns how many entities one value can hold, at most 65,536. Of a codec's it is
// 65,536: only the codec knows.
func (p *Plan) MaxRefs() int {
	switch {
	case !p.HasRefs():
		return 0
	case p.codec() != nil:
		return manyRefs
	default:
		return maxRefs(p.ops)
	}
}

func maxRefs(ops []op) (n int) {
	for i := range ops {
		o := &ops[i]
		switch o.kind {
		case opRef:
			n += int(o.count)
		case opRepeat:
			n += int(o.count) * maxRefs(o.body)
		case opSlice:
			n += min(o.list.max, manyRefs) * maxRefs(o.body)
		case opCodec:
			n += manyRefs
		default:
		}
		n = min(n, manyRefs)
	}
	return n
}
