module github.com/ofmcast/ofmcast/examples/ofnet

go 1.25.0

require (
	antrea.io/libOpenflow v0.15.0
	antrea.io/ofnet v0.14.0
	github.com/ofmcast/ofmcast v0.0.0
	github.com/stretchr/testify v1.12.1
)

replace github.com/ofmcast/ofmcast => ../..
