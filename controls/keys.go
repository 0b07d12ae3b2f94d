package controls

import "slices"

// Keys binds keys of a device to latches. K is the type of keys of the device: keys of Ebitengine,
// buttons of a gamepad, runes. The binding stays on this machine: only the fields of the input are
// sent, so players bind keys as they like.
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

// Bind makes the button follow any of the keys from the next Update on, and replaces its previous
// binding. Without keys it is released at once. A key may be bound to several buttons and axes.
func (k *Keys[K]) Bind(l *Latch, keys ...K) {
	k.buttons = slices.DeleteFunc(k.buttons, func(b boundButton[K]) bool { return b.latch == l })
	if len(keys) == 0 {
		l.Set(false)
		return
	}
	k.buttons = append(k.buttons, boundButton[K]{l, slices.Clone(keys)})
}

// BindAxis makes the axis follow any of the pairs from the next Update on, and replaces its previous
// binding. It is at -1 while a negative key is down and at 1 while a positive one is, and at 0 while
// both are. Without pairs it returns to 0 at once.
func (k *Keys[K]) BindAxis(l *AxisLatch, pairs ...Pair[K]) {
	k.axes = slices.DeleteFunc(k.axes, func(b boundAxis[K]) bool { return b.latch == l })
	if len(pairs) == 0 {
		l.Set(0)
		return
	}
	k.axes = append(k.axes, boundAxis[K]{l, slices.Clone(pairs)})
}

// Update sets all bound latches, once per frame, from the keys that are down. With Ebitengine isDown
// is ebiten.IsKeyPressed.
func (k *Keys[K]) Update(isDown func(K) bool) {
	for _, b := range k.buttons {
		b.latch.Set(slices.ContainsFunc(b.keys, isDown))
	}
	for _, a := range k.axes {
		a.latch.Set(pushed(a.pairs, isDown))
	}
}

// Release sets all bound latches as if no key were down, for a frame in which the keys are used
// elsewhere: by a chat, or by another window.
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
