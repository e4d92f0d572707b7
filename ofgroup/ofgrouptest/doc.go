// Package ofgrouptest helps to test code that uses package ofgroup: a Recorder is a Sender
// that keeps what it is given, and a Switch is an OpenFlow switch within the process, over
// a net.Conn.
package ofgrouptest
