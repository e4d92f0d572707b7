package exchange

// Statistics are an exchange's counters.
type Statistics struct {
	// Connected says that the engine is there and watched.
	Connected bool
	// Nodes are the other nodes that have written something, Alive those of them who are believed, and
	// Entries their groups, counted for each node.
	Nodes, Alive, Entries int
	// Published is how often a group of ours was written or deleted.
	Published uint64
	// Received is how many updates of others came, Refused how many of those made no sense or were over
	// a limit, here or of the cache.
	Received, Refused uint64
	// Conflicts is how often another node was seen to have our name.
	Conflicts uint64
}

// Statistics returns the counters as they are now.
func (x *Exchange[M]) Statistics() Statistics {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stats
}

func (x *Exchange[M]) count(f func(*Statistics)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f(&x.stats)
}
