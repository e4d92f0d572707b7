package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// readOnly refuses whatever could be meant to change something.
func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this is for looking only", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost refuses requests for a name that is not ours.
func knownHost(names []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isKnown(r.Host, names) {
			http.Error(w, "unknown host name: ask by address, or have the name allowed", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isKnown(host string, names []string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "localhost" {
		return true
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) })
}

const (
	// maxRequests may be answered at a time.
	maxRequests = 64
	// maxStates may be: each is made as a whole, of which there may be megabytes, before it is sent.
	maxStates = 8
)

// bounded refuses what is too much at a time, so that readers cannot starve the agent.
func bounded(most int, next http.Handler) http.Handler {
	places := make(chan struct{}, most)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		default:
			busy(w)
		}
	})
}

// answerWithin is how long an answer may take, a slow reader's time included: who reads nothing must not keep
// a place for longer.
const answerWithin = 30 * time.Second

// prompt bounds the time of an answer.
func prompt(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A writer that knows no deadlines is a test's.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerWithin))
		next.ServeHTTP(w, r)
	})
}

func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, "too many readers", http.StatusServiceUnavailable)
}

// policy lets the page load what is served here and nothing else, and its script make no markup of text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// secured adds the headers that keep browsers from doing anything else with what is served.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
