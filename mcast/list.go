package mcast

// links are the neighbours of something in a list.
type links[T any] struct {
	prev, next T
	in         bool
}

// linked is what a list holds: something that remembers its neighbours, so
// that it can be taken out from anywhere.
type linked[T any] interface {
	comparable
	links() *links[T]
}

// list is a queue, first in, first out.
type list[T linked[T]] struct {
	head, tail T
	n          int
}

// push adds x at the end if it is not in the list.
func (l *list[T]) push(x T) {
	at := x.links()
	if at.in {
		return
	}
	at.in = true
	if l.n == 0 {
		l.head = x
	} else {
		at.prev = l.tail
		l.tail.links().next = x
	}
	l.tail = x
	l.n++
}

// pop takes out the first; the list must not be empty.
func (l *list[T]) pop() T {
	x := l.head
	l.remove(x)
	return x
}

// remove takes x out if it is in the list.
func (l *list[T]) remove(x T) {
	at := x.links()
	if !at.in {
		return
	}
	if l.head == x {
		l.head = at.next
	} else {
		at.prev.links().next = at.next
	}
	if l.tail == x {
		l.tail = at.prev
	} else {
		at.next.links().prev = at.prev
	}
	*at = links[T]{}
	l.n--
}
