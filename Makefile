# The commands of this repository. `make test` is the one to remember.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 5s
SOAKCOUNT   ?= 3
SOAKTIME    ?= 10m
BENCHTIME   ?= 1s

# Modules of the workspace. `./...` does not reach other modules, so each is named.
MODULES  := . ./examples
PACKAGES := $(addsuffix /...,$(MODULES))
# The side-by-side benchmarks stay outside the workspace: go.work would lift everybody's versions to theirs.
BENCH    := cd internal/bench && GOWORK=off $(GO)
# So does the exchange over a message bus: neither the bus nor what it needs shall reach the other examples.
CLUSTER  := cd examples/cluster && GOWORK=off $(GO)
NARROW   := echo "with 32 bits" && GOARCH=386 CGO_ENABLED=0 $(GO) test ./ofgroup ./igmp ./igmp/snooper ./mcast ./mroute
# Where the portable parts must compile.
PLATFORMS := darwin/arm64 linux/arm64 linux/386 windows/amd64

.PHONY: all deps lint fmt vet staticcheck cross arch test demo bench bench-keep bench-raw fuzz soak mutate

all: lint test

# Open vSwitch and the tools around it: installed on Debian as root, named elsewhere.
deps:
	@scripts/deps.sh

lint: deps fmt vet staticcheck cross arch

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet $(PACKAGES)
	$(BENCH) vet ./...
	$(CLUSTER) vet ./...

staticcheck:
	$(GO) run $(STATICCHECK) $(PACKAGES)
	$(BENCH) run $(STATICCHECK) ./...
	$(CLUSTER) run $(STATICCHECK) ./...

cross:
	@for p in $(PLATFORMS); do \
		echo "build $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build $(PACKAGES) || exit 1; \
		(cd examples/cluster && GOWORK=off GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build ./...) || exit 1; \
	done

# The four packages never import one another.
arch:
	$(GO) test -count=1 ./internal/archtest

# Twice the root: with the race detector and its own go.mod alone, as a host project sees it; then
# without the detector in the workspace, where allocation counts are exact. The examples one package
# at a time, for they measure when a stream stops, which a busy machine delays; but several tests of a
# package, for most of them wait. The benchmarks' module reads README.md, which is outside of it, so that
# its change would not make a result stale. The codecs and the kernel's structures once more as programs of
# 32 bits, for lengths are computed in int; where the machine runs such programs.
test: deps
	GOWORK=off $(GO) test -race ./...
	$(GO) test ./...
	$(GO) test -race -p 1 -parallel 8 ./examples/...
	$(BENCH) test -count=1 ./...
	$(CLUSTER) test -race -parallel 8 ./...
	@if [ "$$($(GO) env GOOS)/$$($(GO) env GOARCH)" = linux/amd64 ]; then $(NARROW); fi

# The examples against a private, real switch: two judged by ovs-ofctl, the agent by who got which packets.
demo: deps
	$(GO) run ./examples/demo

# One table: each package beside what people would use instead, in one run of less than three minutes.
bench: deps
	@$(BENCH) run ./report -benchtime $(BENCHTIME)

# The same, and its figures, plots and table become those of internal/bench/RESULTS.md.
bench-keep: deps
	@$(BENCH) run ./report -benchtime $(BENCHTIME) -keep .

# What the benchmarks of all packages print, those of the table among them.
bench-raw: deps
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(PACKAGES)
	$(BENCH) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -v ./...

# Every fuzz target in turn, FUZZTIME each.
fuzz: deps
	@GO=$(GO) FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

# The same tests again and again, in random order, for what fails one time in many; then the turmoil in which a
# table, and the agent, have to agree with their switch in the end.
soak: deps
	$(GO) test -race -shuffle on -count $(SOAKCOUNT) $(PACKAGES)
	OFMCAST_SOAK=60s $(GO) test -race -count 1 -v ./ofgroup/internal/chaos
	OFMCAST_SOAK=$(SOAKTIME) $(GO) test -race -count 1 -v -timeout 30m -run '^TestWhateverHappens' ./examples/agent

# Do the random histories of package mcast find the faults that are seeded for them? Into a copy, not into this tree.
mutate:
	@scripts/mutate.sh
