// Package set has sets of small numbers, stored as bits: [Mask] has a fixed size, for the
// components of an entity or a record, and [Bitset] grows, for entities, groups and peers.
package set
