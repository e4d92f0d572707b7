// Package cachebench compares the membership cache with the usual way to build one, client-go's Indexer and work queue
// with the member map copied at each event, and measures it at a million memberships.
package cachebench
