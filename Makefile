# A thin front for ./dev, which does the work and needs no make.
.PHONY: run test check setup

run test check setup:
	@sh ./dev $@ $(ARGS)
