# A thin front for ./dev, which does the work and needs no make.
.PHONY: run test check setup bench

run test check setup bench:
	@sh ./dev $@ $(ARGS)
