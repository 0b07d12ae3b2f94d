package script

import (
	"slices"
	"strconv"
	"strings"
)

// countClients returns how many clients the commands create.
func countClients(steps []string) (count int) {
	for _, step := range steps {
		count += connects(strings.Fields(step))
	}
	return count
}

func connects(words []string) int {
	if len(words) != 2 || words[0] != "connect" {
		return 0
	}
	n, _ := strconv.Atoi(words[1])
	return n
}

// withoutClient returns the steps without one client. The others are renumbered.
func withoutClient(steps []string, client int) (kept []string) {
	made := 0
	for _, step := range steps {
		words := strings.Fields(step)
		if n := connects(words); n > 0 {
			if made < client && client <= made+n {
				words[1] = strconv.Itoa(n - 1)
			}
			made += n
			if words[1] == "0" {
				continue
			}
		} else if i := clientWord(words); i > 0 {
			if words[i] = withoutNumber(words[i], client); words[i] == "" {
				continue
			}
		}
		kept = append(kept, strings.Join(words, " "))
	}
	return kept
}

// clientWord returns the index of the word that lists clients by number, or 0 if the command has
// none.
func clientWord(words []string) int {
	if len(words) == 0 {
		return 0
	}
	at := 0
	inner, _ := innerCommand(words)
	switch words[inner] {
	case "kick":
		at = 1
	case "owner", "persist", "gain", "lose", "forget":
		at = inner + 2
	case "room":
		if at = slices.Index(words, "client") + 1; at == 0 {
			return 0
		}
	case "target", "predict", "override", "replicate":
		at = 1 + max(slices.Index(words, "only"), slices.Index(words, "except"))
	case "disconnect", "reconnect", "cut", "restore", "latency", "jitter", "loss", "duplicate", "reorder":
		at = len(words) - 1
	}
	if at >= len(words) {
		return 0
	}
	for number := range strings.SplitSeq(words[at], ",") {
		if _, err := strconv.Atoi(number); err != nil {
			return 0
		}
	}
	return at
}

func withoutNumber(list string, client int) string {
	var kept []string
	for number := range strings.SplitSeq(list, ",") {
		n, _ := strconv.Atoi(number)
		switch {
		case n > client:
			kept = append(kept, strconv.Itoa(n-1))
		case n < client:
			kept = append(kept, number)
		}
	}
	return strings.Join(kept, ",")
}
