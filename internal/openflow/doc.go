// Package openflow holds the facts of the OpenFlow wire that packages ofgroup and
// ofconn share: the message header, the numbers of messages, multipart types,
// actions, match fields and errors, and the one helper that narrows a length.
//
// It knows nothing of groups and keeps no state. All numbers are in network byte
// order on the wire. Versions are named by their wire byte, 4 for OpenFlow 1.3 and
// 6 for OpenFlow 1.5; numbers that differ between the two say so.
package openflow
