// Package set has sets of small numbers as bits: [Mask] for the components of an entity or a record,
// which is a value of fixed size, and [Bitset] for entities, groups and peers, which grows.
package set
