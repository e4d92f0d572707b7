package plot

// Theme has the colours of one picture. Each brings its own page, so that it does not depend on where it is shown.
type Theme struct {
	Name                    string
	page, ink, softer, grid string
	series                  [4]string
}

// Light is for light pages and Dark for dark ones, in the colours of the README's pictures.
func Light() Theme {
	return Theme{
		Name: "light", page: "#ffffff", ink: "#1f2328", softer: "#59636e", grid: "#e4e8ec",
		series: [4]string{"#0969da", "#bc4c00", "#59636e", "#1a7f37"},
	}
}

// Dark is for dark pages.
func Dark() Theme {
	return Theme{
		Name: "dark", page: "#0d1117", ink: "#f0f6fc", softer: "#9198a1", grid: "#272d35",
		series: [4]string{"#4493f8", "#f0883e", "#9198a1", "#3fb950"},
	}
}
