# Baseline: phrases and places that the experts' annotations of the training set have in common.
#
#     Rscript solver.R INPUT OUTPUT     answers one essay, as `pku run --solver` starts it
#
# `learn` makes a model of annotations, `mark` applies it to an essay. Replace both.
# The contest counts code points from 0 and names the one after the last; R counts them from 1 and names the last.

LONGEST_PHRASE <- 40  # code points; of a longer fragment the place is learned instead of the words
MODEL <- "model.json"

read_json <- function(path) jsonlite::fromJSON(path, simplifyVector = FALSE)

write_json <- function(value, path) {
  json <- jsonlite::toJSON(value, auto_unbox = TRUE, digits = NA, null = "null", pretty = TRUE)
  writeLines(enc2utf8(json), path, useBytes = TRUE)
}

# The essay's text from the code point `start` to the one before `end`.
part <- function(text, start, end) substr(text, start + 1, end)

# The model: by subject, phrases with their code, and codes with their usual place. A phrase is kept if at least half of
# its occurrences are marked; a place, if at least half of the annotations have the code. Equal counts: the first code by
# code points.
learn <- function(annotations) {
  subjects <- vapply(annotations, function(one) one$meta$subject, "")
  lapply(split(annotations, subjects), function(some) list(phrases = phrases(some), places = places(some)))
}

# The essay with fragments by the model; of two equal places the first one stays.
mark <- function(essay, model) {
  known <- model[[essay$meta$subject]]
  spans <- list()
  for (code in names(known$places)) spans[[length(spans) + 1]] <- list(snapped(essay$text, unlist(known$places[[code]])), code)
  for (phrase in names(known$phrases)) {
    for (span in occurrences(essay$text, phrase)) spans[[length(spans) + 1]] <- list(span, known$phrases[[phrase]])
  }
  starts <- vapply(spans, function(one) one[[1]][1], 0)
  ends <- vapply(spans, function(one) one[[1]][2], 0)
  fragments <- list()
  taken <- character()
  for (span in spans[order(starts, ends)]) {
    place <- paste(span[[1]], collapse = "-")
    if (span[[1]][1] >= span[[1]][2] || place %in% taken) next
    taken <- c(taken, place)
    fragments[[length(fragments) + 1]] <- list(
      id = length(taken), startSelection = span[[1]][1], endSelection = span[[1]][2], type = span[[2]]
    )
  }
  essay$selections <- fragments
  essay
}

# Where a phrase stands as whole words, in code points.
occurrences <- function(text, phrase) {
  size <- nchar(phrase)
  starts <- gregexpr(phrase, text, fixed = TRUE)[[1]] - 1
  if (starts[1] < 0) return(list())
  is_whole <- vapply(starts, function(start) {
    !grepl("[\\p{L}\\p{N}]", paste0(part(text, start - 1, start), part(text, start + size, start + size + 1)), perl = TRUE)
  }, NA)
  lapply(starts[is_whole], function(start) c(start, start + size))
}

phrases <- function(annotations) {
  marked <- list()
  for (annotation in annotations) {
    for (fragment in annotation$selections) {
      phrase <- part(annotation$text, fragment$startSelection, fragment$endSelection)
      if (nchar(phrase) > LONGEST_PHRASE || nchar(phrase) <= 2 || phrase != trimws(phrase)) next
      marked[[phrase]] <- c(marked[[phrase]], fragment$type)
    }
  }
  kept <- list()
  for (phrase in names(marked)) {
    counts <- table(marked[[phrase]])
    code <- sort(names(counts)[counts == max(counts)], method = "radix")[1]
    all <- sum(vapply(annotations, function(one) length(occurrences(one$text, phrase)), 0))
    if (2 * max(counts) >= all) kept[[phrase]] <- code
  }
  kept
}

places <- function(annotations) {
  spans <- list()
  for (annotation in annotations) {
    size <- nchar(annotation$text)
    starts <- vapply(annotation$selections, function(one) as.numeric(one$startSelection), 0)
    seen <- character()
    for (fragment in annotation$selections[order(starts)]) {
      place <- c(fragment$startSelection, fragment$endSelection)
      if (diff(place) <= LONGEST_PHRASE || fragment$type %in% seen) next
      seen <- c(seen, fragment$type)
      spans[[fragment$type]] <- c(spans[[fragment$type]], list(place / size))
    }
  }
  kept <- list()
  for (code in sort(names(spans), method = "radix")) {
    found <- spans[[code]]
    if (2 * length(found) >= length(annotations)) {
      kept[[code]] <- lapply(1:2, function(end) middle(vapply(found, function(span) span[end], 0)))
    }
  }
  kept
}

# The median; of an even number the lower one.
middle <- function(values) sort(values)[(length(values) + 1) %/% 2]

# A place of the essay, moved to the nearest ends of sentences.
snapped <- function(text, place) {
  size <- nchar(text)
  ends <- gregexpr("[.!?\u2026](?=\\s|$)|\n", text, perl = TRUE)[[1]]
  breaks <- c(0, ends[ends > 0], size)
  moved <- vapply(place, function(end) breaks[which.min(abs(breaks - end * size))], 0)
  while (moved[1] < moved[2] && grepl("^\\s$", part(text, moved[1], moved[1] + 1))) moved[1] <- moved[1] + 1
  moved
}

if (sys.nframe() == 0) {
  files <- commandArgs(trailingOnly = TRUE)
  write_json(mark(read_json(files[1]), read_json(MODEL)), files[2])
}
