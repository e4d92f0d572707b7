// Package routesbench compares the kernel's routing by package mroute with smcroute and with bare system calls.
package routesbench
