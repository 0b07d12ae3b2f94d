package input

// Back returns how many ticks before the last one a lane still knows.
func (r *Reader) Back() int { return int(r.back) }
