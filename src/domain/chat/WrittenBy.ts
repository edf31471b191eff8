import { Schema } from "effect"

/** The provider of replies that the server writes by rules, without a language model. */
export const RULES_PROVIDER = "local"

/** Author of a reply, by kind. */
export const WrittenBy = Schema.Literals(["model", "rule", "person"]).annotate({
  description:
    "Who wrote a reply. `model`: a language model. `rule`: the server itself, as `local/extractive`, which quotes the documents, or as the question for an e-mail address. `person`: somebody of the team.",
})
export type WrittenBy = typeof WrittenBy.Type

/** Returns who wrote a reply that the chatbot has made, by the provider of its model. */
export const writtenBy = (provider: string): WrittenBy => (provider === RULES_PROVIDER ? "rule" : "model")

interface Stored {
  readonly sender_type: string
  /** Null for a message of the user or of a person, and for a reply that a client brought. */
  readonly provider: string | null
}

/** The field of a stored message that says who wrote a reply; no field where it is none, or nobody knows. */
export const authorOf = ({ provider, sender_type }: Stored): { readonly written_by?: WrittenBy } => {
  if (sender_type === "agent") return { written_by: "person" }
  return provider === null ? {} : { written_by: writtenBy(provider) }
}
