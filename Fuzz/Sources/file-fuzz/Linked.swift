import FileFuzz

// libFuzzer brings `main`; these make the linker keep what it calls.
let preparation = initialize
let round = testOneInput
