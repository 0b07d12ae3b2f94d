package input

// Back returns for how many ticks before the last one a stream keeps inputs.
func (r *Reader) Back() int { return int(r.back) }
