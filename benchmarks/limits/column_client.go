package limits

// ColumnClient is a client of a StructureLimit without an ECS: a column, and the row of each id. It
// refuses payloads that no server sends.
type ColumnClient struct {
	codec  Codec
	Column []byte
	rows   []uint32 // by id
}

func NewColumnClient(codec Codec) *ColumnClient { return &ColumnClient{codec: codec} }

// Apply reads a payload with new values, or with new entities.
func (c *ColumnClient) Apply(b []byte) bool {
	return readStructure(b, c.codec.Code, func(what byte, first, n int, codes []byte) bool {
		switch {
		case what == structureValues && first+n <= len(c.rows):
			return c.update(c.rows[first:first+n], codes)
		case what == structureSpawns && first == len(c.rows):
			for range n {
				c.rows = append(c.rows, uint32(len(c.rows)))
			}
			from := len(c.Column)
			c.Column = append(c.Column, make([]byte, n*c.codec.Size)...)
			return c.codec.Read(c.Column[from:], codes)
		}
		return false
	})
}

// update reads values, as many at once as are in consecutive rows.
func (c *ColumnClient) update(rows []uint32, codes []byte) bool {
	size, code := c.codec.Size, c.codec.Code
	for len(rows) > 0 {
		first, n := int(rows[0]), 1
		for n < len(rows) && int(rows[n]) == first+n {
			n++
		}
		if !c.codec.Read(c.Column[first*size:(first+n)*size], codes[:n*code]) {
			return false
		}
		rows, codes = rows[n:], codes[n*code:]
	}
	return true
}
