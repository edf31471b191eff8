import { Schema } from "effect"
import { PersonId } from "../Ids.ts"

/** A person as colleagues and visitors see them: who has written a message, or looks after a conversation. */
export const PersonName = Schema.Struct({
  id: Schema.NullOr(PersonId).annotate({ description: "Null for a person whom a program names." }),
  name: Schema.String,
  avatar: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "PersonName" })
export type PersonName = typeof PersonName.Type
