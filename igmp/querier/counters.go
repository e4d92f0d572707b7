package querier

// Counters is what a Querier has done since New. It is a plain value: a copy stays as it is.
type Counters struct {
	// GeneralQueries and SpecificQueries count the frames handed out; a general query in several versions, and a
	// specific one that was split, is several.
	GeneralQueries, SpecificQueries uint64
	// SpecificRefused counts calls of Specific that returned an error.
	SpecificRefused uint64

	// HeardLower counts general queries from an address that wins against ours. Each query that HandleQuery was given
	// counts in exactly one of the fields that begin with Heard, in the first that is true from the bottom up.
	HeardLower uint64
	// HeardHigher counts general queries from an address that loses against ours.
	HeardHigher uint64
	// HeardProxy counts general queries from 0.0.0.0.
	HeardProxy uint64
	// HeardSpecific counts queries for a group.
	HeardSpecific uint64
	// HeardOwn counts queries from one of our own addresses.
	HeardOwn uint64
	// HeardInvalid counts queries from an address that no host can have, for a group that is none, of an unknown
	// version or without a time.
	HeardInvalid uint64

	// OtherVersions counts those of the above, except own and invalid ones, that are of a version which we do not
	// send.
	OtherVersions uint64
	// ElectionsLost counts how often another became querier in our place, Takeovers how often we did in another's.
	ElectionsLost, Takeovers uint64
}

// Counters returns a snapshot.
func (q *Querier) Counters() Counters { return q.counters }
