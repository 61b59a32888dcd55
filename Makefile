# A thin front for ./dev, which does the work and needs no make.
.PHONY: run test check setup coverage mutation conformance bench acceptance injection supply

run test check setup coverage mutation conformance bench acceptance injection supply:
	@sh ./dev $@ $(ARGS)
