package budget

import "time"

// Pool is a bucket that several accounts share. In each frame it is divided among them by the bytes
// that they want, like Share. Bytes that none of them wants go to all in equal parts, because only
// they know later wants. An account that sent more than its part pays for it with its own next
// parts only.
//
// In each frame Begin is called first, then Ask once for each account, then Divide. Its memory is
// reused from frame to frame.
type Pool struct {
	bucket   Bucket
	share    Share
	level    int // in the current frame
	accounts []*Account
	wants    []int
}

// Account is one sender's part of a Pool. The zero value is one that has sent nothing yet.
type Account struct {
	given int // in the current frame; negative: debt
	owed  int // bytes that it sent beyond that before
}

// NewPool returns a pool of a full bucket: see NewBucket.
func NewPool(rate int, span time.Duration) Pool { return Pool{bucket: NewBucket(rate, span)} }

// Begin begins a frame.
func (p *Pool) Begin(now time.Time) {
	clear(p.accounts)
	p.level, p.accounts, p.wants = p.bucket.Level(now), p.accounts[:0], p.wants[:0]
}

// Ask sets how many bytes an account wants in this frame.
func (p *Pool) Ask(account *Account, bytes int) {
	p.accounts = append(p.accounts, account)
	p.wants = append(p.wants, bytes)
}

// Divide divides the bucket. Debts are added to the total, and each account pays its own out of
// that. A debt beyond an equal part of one second is forgotten, as the bucket forgets its own
// beyond a second. All debts together never exceed the debt limit of the bucket, so an account with
// traffic that cannot be held back does not exempt other accounts from the rate.
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

// Spend subtracts the bytes that all accounts sent.
func (p *Pool) Spend(bytes int) { p.bucket.Spend(bytes) }

// Given returns how many bytes may be sent in this frame: none if 0 or less.
func (a *Account) Given() int { return a.given }

// Charge subtracts the bytes that were sent in this frame from the account.
func (a *Account) Charge(bytes int) { a.owed = max(0, bytes-a.given) }
