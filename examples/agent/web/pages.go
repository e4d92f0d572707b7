package web

import (
	_ "embed"
	"net/http"
	"net/http/pprof"
)

// The page is static: what it shows comes from /api/state, so that nothing is ever put into markup.
var (
	//go:embed page/index.html
	indexHTML []byte
	//go:embed page/app.js
	appJS []byte
	//go:embed page/app.css
	appCSS []byte
	//go:embed page/icon.svg
	icon []byte
)

func pages() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/{$}":      static("text/html; charset=utf-8", indexHTML),
		"/app.js":   static("text/javascript; charset=utf-8", appJS),
		"/app.css":  static("text/css; charset=utf-8", appCSS),
		"/icon.svg": static("image/svg+xml", icon),
	}
}

func static(kind string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content)
	}
}

// profiles serves the profiler, which a mux of its own keeps off the default one.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}
