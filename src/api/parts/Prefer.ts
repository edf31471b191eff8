import { Schema } from "effect"

/** The request header `Prefer`, by which a client says how long it is willing to wait for documents. */
export const Prefer = {
  prefer: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "RFC 7240: `wait=N` waits at most N seconds (≤ 60, default 20) until all is searchable; `respond-async` answers at once.",
      examples: ["wait=30", "respond-async"],
    }),
  ),
}
