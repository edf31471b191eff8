import { Schema } from "effect"

/**
 * There is no response. `detail` reveals nothing of the server's network: a name that resolves to a private address
 * fails like a name that cannot be found.
 */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", {
  reason: Schema.Literals([
    "private",
    "not_found",
    "unreachable",
    "certificate",
    "timed_out",
    "too_large",
    "bad_answer",
  ]),
  detail: Schema.String,
}) {}
