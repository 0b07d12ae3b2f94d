package netsim

import "strings"

// explained is of how many rollbacks a client of a simulation keeps the reasons.
const explained = 16

// explain logs why each client rolled back last.
func (s *Sim) explain() {
	for _, p := range s.peers {
		var lines strings.Builder
		for _, r := range p.client.Rollbacks() {
			lines.WriteString("\n  " + r.String())
		}
		if lines.Len() > 0 {
			s.t.Logf("netsim: client %d rolled back, the last times:%s", p.id, lines.String())
		}
	}
}
