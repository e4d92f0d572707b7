package mcast

// queued is what a heap holds: something that is due at a time, and that
// remembers its place.
type queued interface {
	comparable
	due() instant
	place() *int32 // index + 1; 0 is not in the heap
}

// heap is a binary heap, earliest first, from which anything can be taken out.
type heap[T queued] struct{ items []T }

func (h *heap[T]) len() int { return len(h.items) }

func (h *heap[T]) first() T { return h.items[0] }

// update puts x at its place after its time was set, or adds it.
func (h *heap[T]) update(x T) {
	p := *x.place()
	if p == 0 {
		h.items = append(h.items, x)
		h.up(len(h.items) - 1)
		return
	}
	h.up(h.down(int(p) - 1))
}

// remove takes x out if it is in.
func (h *heap[T]) remove(x T) {
	i := int(*x.place()) - 1
	if i < 0 {
		return
	}
	*x.place() = 0
	last := len(h.items) - 1
	moved := h.items[last]
	var none T
	h.items[last] = none // so that what is gone can be freed
	h.items = h.items[:last]
	if i != last {
		h.put(i, moved)
		h.up(h.down(i))
	}
}

func (h *heap[T]) put(i int, x T) {
	h.items[i] = x
	*x.place() = int32(i) + 1
}

func (h *heap[T]) up(i int) {
	x := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if h.items[parent].due() <= x.due() {
			break
		}
		h.put(i, h.items[parent])
		i = parent
	}
	h.put(i, x)
}

func (h *heap[T]) down(i int) int {
	x := h.items[i]
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if child+1 < len(h.items) && h.items[child+1].due() < h.items[child].due() {
			child++
		}
		if h.items[child].due() >= x.due() {
			break
		}
		h.put(i, h.items[child])
		i = child
	}
	h.put(i, x)
	return i
}
