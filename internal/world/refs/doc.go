// Package refs holds the bookkeeping of references between entities that have not arrived yet,
// and the histories that differences start from. It is plain data: packages source and sink
// fill it and read it.
package refs
