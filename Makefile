# A thin front for ./dev, which does the work and needs no make.
.PHONY: run test check setup conformance bench

run test check setup conformance bench:
	@sh ./dev $@ $(ARGS)
