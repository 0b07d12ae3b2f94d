package budget

import "time"

// Pool is a bucket that several accounts share. In each frame its bytes are divided among the
// accounts by what they want, as Share does. Bytes that none of them wants are divided equally,
// because an account may want more later in the frame. An account that sent more than its part pays
// for it with its own next parts only.
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

// Account is one sender's part of a Pool. The zero value has sent nothing yet.
type Account struct {
	given int // bytes in the current frame; negative for a debt
	owed  int // bytes that it sent beyond its part in the previous frame
}

// NewPool returns a pool with a full bucket; see NewBucket.
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

// Divide divides the bytes of the bucket. Debts are added to the total first, and then each account
// pays its own debt. Of an account's debt, what exceeds an equal part of the bytes of one second is
// dropped, as the bucket drops its own debt beyond a second. So all debts together never exceed the
// debt limit of the bucket, and an account with traffic that cannot be held back does not exempt
// other accounts from the rate.
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

// Given returns how many bytes may be sent in this frame. If it is 0 or less, none may be sent.
func (a *Account) Given() int { return a.given }

// Charge subtracts the bytes that were sent in this frame from the account.
func (a *Account) Charge(bytes int) { a.owed = max(0, bytes-a.given) }
