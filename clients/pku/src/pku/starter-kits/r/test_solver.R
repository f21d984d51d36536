# Tests of the baseline: `Rscript test_solver.R`; it says nothing but the last line where all is right.

source("solver.R")
sample_data <- read_json("sample.json")

# Offsets are code points: an astral letter counts once.
stopifnot(identical(occurrences("\U1F600 big \U1F600 big", "big"), list(c(2, 5), c(8, 11))))

# A phrase is found as whole words alone.
stopifnot(identical(occurrences("cat concat cats cat", "cat"), list(c(0, 3), c(16, 19))))

# What the experts have marked is found in another essay.
answer <- mark(sample_data$essay, learn(sample_data$annotations))
stopifnot(isTRUE(all.equal(answer$selections, sample_data$selections)))

# An essay of a subject that was not learned gets no fragments.
stopifnot(length(mark(sample_data$essay, list())$selections) == 0)
cat("4 tests passed\n")
