package input

// Back returns how many ticks before the last one a stream keeps.
func (r *Reader) Back() int { return int(r.back) }
