// Package fdstoretest is a service manager's descriptor store in the test's process: it keeps what
// programs send to its NOTIFY_SOCKET, and passes it to those that are started with it.
package fdstoretest
