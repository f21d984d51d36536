# Play a session of the contest: `Rscript play.R learn`, then `Rscript play.R session [SET] [FILES]`.
#
# The address and the token of the team are in the variables HURDLE and TOKEN.

source("solver.R")

# Status and body. A request waits and repeats where the platform asks for that; its key makes a repetition harmless.
ask <- function(method, path, body = NULL) {
  key <- paste(sample(c(letters, 0:9), 32, replace = TRUE), collapse = "")
  request <- httr2::request(paste0(Sys.getenv("HURDLE"), "/v1/", path)) |>
    httr2::req_method(method) |>
    httr2::req_headers(Authorization = paste("Bearer", Sys.getenv("TOKEN")), `Idempotency-Key` = key) |>
    httr2::req_retry(max_tries = 6, is_transient = function(reply) httr2::resp_status(reply) %in% c(429, 503)) |>
    httr2::req_error(body = function(reply) httr2::resp_body_string(reply))
  if (!is.null(body)) request <- httr2::req_body_json(request, body, digits = NA, null = "null")
  reply <- httr2::req_perform(request)
  list(status = httr2::resp_status(reply), body = httr2::resp_body_json(reply))
}

# The experts' annotations of a training set.
training_set <- function(name) {
  annotations <- list()
  for (one in ask("GET", paste0("sets/", name))$body$parts) {
    files <- ask("GET", paste0("sets/", name, "/parts/", one$number))$body$files
    of_experts <- Filter(function(file) grepl("_exp", file$name, fixed = TRUE), files)
    annotations <- c(annotations, lapply(of_experts, function(file) read_json(file$text)))
  }
  annotations
}

# Answer every file of a new session and return its report.
play <- function(model, set, files) {
  session <- ask("POST", "sessions", list(mode = "algorithmic", set = set, files = files))$body
  path <- paste0("sessions/", session$session_id)
  repeat {
    following <- ask("GET", paste0(path, "/next"))$body
    if (following$status != "available") break
    file <- paste0(path, "/files/", following$number)
    answer <- mark(ask("GET", file)$body$content, model)
    receipt <- ask("PUT", paste0(file, "/answer"), answer)$body$receipt
    cat(sprintf("file %d: %s\n", following$number, receipt$status))
  }
  repeat {
    report <- ask("GET", paste0(path, "/report"))
    if (report$status != 202) return(report$body)
    Sys.sleep(1)
  }
}

arguments <- commandArgs(trailingOnly = TRUE)
if (arguments[1] == "learn") {
  annotations <- training_set("train")
  write_json(learn(annotations), MODEL)
  cat(sprintf("annotations: %d\n", length(annotations)))
} else {
  set <- if (length(arguments) > 1) arguments[2] else "train"
  files <- if (length(arguments) > 2) as.integer(arguments[3]) else 4L
  report <- play(read_json(MODEL), set, files)
  write_json(report, "report.json")
  cat(sprintf("relative accuracy: %s\n", format(report$result$relative_accuracy)))
}
