import PredicateFuzz

// libFuzzer brings `main`; this makes the linker keep what it calls.
let round = testOneInput
