package netsim

import "strings"

// explained is the number of rollbacks for which a client of a simulation keeps the causes.
const explained = 16

// explain logs the causes of each client's latest rollbacks.
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
