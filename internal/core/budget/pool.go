package budget

import "time"

// Pool is a bucket that several share. In each frame it is divided among them by what they want, as
// Share does it; what none of them wants goes to all alike, as they know only about what they will
// want. What one was sent beyond its part is taken off its next parts, and off nobody else's.
//
// In each frame Begin is called first, Ask once for each of them, and Divide. It keeps its memory
// from one frame to the next.
type Pool struct {
	bucket   Bucket
	share    Share
	level    int // in the frame under way
	accounts []*Account
	wants    []int
}

// Account is what one of those that share a Pool may be sent. The zero value is one that was sent
// nothing yet.
type Account struct {
	given int // in the frame under way; negative: debt
	owed  int // what it was sent beyond that before
}

// NewPool returns a pool of a full bucket: see NewBucket.
func NewPool(rate int, span time.Duration) Pool { return Pool{bucket: NewBucket(rate, span)} }

// Begin begins a frame.
func (p *Pool) Begin(now time.Time) {
	clear(p.accounts)
	p.level, p.accounts, p.wants = p.bucket.Level(now), p.accounts[:0], p.wants[:0]
}

// Ask says how many bytes an account wants in this frame.
func (p *Pool) Ask(account *Account, bytes int) {
	p.accounts = append(p.accounts, account)
	p.wants = append(p.wants, bytes)
}

// Divide divides the bucket. The debts are not part of what is divided: each is paid by whom it is
// of, out of as much more. A debt beyond what an equal part earns in a second is forgotten, as the
// bucket forgets its own beyond a second: all of them together are never more than the bucket may
// owe, so an account whose traffic cannot be held back frees no other from the rate.
func (p *Pool) Divide() {
	total, most := p.level, int(p.bucket.rate)/max(len(p.accounts), 1)
	for i, account := range p.accounts {
		account.owed = min(account.owed, most)
		p.wants[i] = max(0, p.wants[i]+account.owed)
		total += account.owed
	}
	p.share.Divide(p.wants, total)
	left := total
	for _, bytes := range p.wants {
		left -= bytes
	}
	for i, account := range p.accounts {
		account.given = p.wants[i] + max(left, 0)/len(p.accounts) - account.owed
	}
}

// Spend takes what left for all of them.
func (p *Pool) Spend(bytes int) { p.bucket.Spend(bytes) }

// Given returns how many bytes may be sent in this frame: none if 0 or less.
func (a *Account) Given() int { return a.given }

// Charge takes what was sent in this frame off the account.
func (a *Account) Charge(bytes int) { a.owed = max(0, bytes-a.given) }
