import { Schema } from "effect"

/** The header by which a request says how long it is willing to wait. */
export const Prefer = {
  prefer: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "RFC 7240: `wait=N` waits at most N seconds (≤ 60, default 20) until all is searchable; `respond-async` answers at once.",
      examples: ["wait=30", "respond-async"],
    }),
  ),
}
