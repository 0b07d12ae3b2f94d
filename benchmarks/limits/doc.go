// Package limits does the work of the cases by hand: plain arrays, no ECS, no bookkeeping, and only
// the unavoidable work. A case is judged by how much longer Entangle takes.
package limits
