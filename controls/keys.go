package controls

import "slices"

// Keys binds keys of a device to latches. What a key is, K, is the device's affair: a key
// of Ebitengine, a button of a gamepad, a rune. The binding stays on this machine: what is
// sent is named by the fields of the input alone, so players bind as they like.
//
// The zero Keys has nothing bound. It is for one goroutine.
type Keys[K comparable] struct {
	buttons []boundButton[K]
	axes    []boundAxis[K]
}

type boundButton[K comparable] struct {
	latch *Latch
	keys  []K
}

type boundAxis[K comparable] struct {
	latch *AxisLatch
	pairs []Pair[K]
}

// Pair is two keys that push an axis to its ends.
type Pair[K comparable] struct{ Negative, Positive K }

// Bind has the button be down while any of the keys is, from the next Update on, and
// undoes what it was bound to before. Without keys it is let go of, at once. A key may be
// bound to several buttons and axes.
func (k *Keys[K]) Bind(l *Latch, keys ...K) {
	k.buttons = slices.DeleteFunc(k.buttons, func(b boundButton[K]) bool { return b.latch == l })
	if len(keys) == 0 {
		l.Set(false)
		return
	}
	k.buttons = append(k.buttons, boundButton[K]{l, slices.Clone(keys)})
}

// BindAxis has the axis be pushed by any of the pairs, from the next Update on, and undoes
// what it was bound to before. It is at -1 while a negative key is down and at 1 while a
// positive one is, and at 0 while both are. Without pairs it returns to 0, at once.
func (k *Keys[K]) BindAxis(l *AxisLatch, pairs ...Pair[K]) {
	k.axes = slices.DeleteFunc(k.axes, func(b boundAxis[K]) bool { return b.latch == l })
	if len(pairs) == 0 {
		l.Set(0)
		return
	}
	k.axes = append(k.axes, boundAxis[K]{l, slices.Clone(pairs)})
}

// Update sets all latches that are bound, once per frame, by which keys are down now. With
// Ebitengine isDown is ebiten.IsKeyPressed.
func (k *Keys[K]) Update(isDown func(K) bool) {
	for _, b := range k.buttons {
		b.latch.Set(slices.ContainsFunc(b.keys, isDown))
	}
	for _, a := range k.axes {
		a.latch.Set(pushed(a.pairs, isDown))
	}
}

// Release sets all latches that are bound as if no key were down, for a frame in which the
// keys are somebody else's: a chat's, or another window's.
func (k *Keys[K]) Release() { k.Update(func(K) bool { return false }) }

func pushed[K comparable](pairs []Pair[K], isDown func(K) bool) (at float32) {
	if slices.ContainsFunc(pairs, func(p Pair[K]) bool { return isDown(p.Negative) }) {
		at--
	}
	if slices.ContainsFunc(pairs, func(p Pair[K]) bool { return isDown(p.Positive) }) {
		at++
	}
	return at
}
