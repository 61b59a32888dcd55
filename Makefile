# A thin front for ./dev, which does the work and needs no make.
.PHONY: run test check setup bench injection

run test check setup bench injection:
	@sh ./dev $@ $(ARGS)
