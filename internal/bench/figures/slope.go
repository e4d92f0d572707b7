package figures

import "math"

// Slope is the exponent by which y grows with x, fitted by least squares over the logarithms: 0 is constant, 1 in
// proportion, 2 the square. It is NaN where there are fewer than two different x, or one of the figures is not positive.
func Slope(x, y []float64) float64 {
	if len(x) != len(y) {
		return math.NaN()
	}
	var sx, sy, sxx, sxy float64
	for i := range x {
		if x[i] <= 0 || y[i] <= 0 {
			return math.NaN()
		}
		lx, ly := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	k := float64(len(x))
	spread := k*sxx - sx*sx
	if spread <= 1e-9 {
		return math.NaN()
	}
	return (k*sxy - sx*sy) / spread
}
