// Package limits does the work of the cases by hand: plain arrays, no ECS, no bookkeeping, and
// nothing but what cannot be avoided. A case is judged by how much longer Entangle takes.
package limits
