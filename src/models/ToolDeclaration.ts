import { type JsonSchema, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { textBetween } from "../domain/schema/Text.ts"
import { similarityMeaning } from "./PassageForm.ts"
import { QUERY_MAX_LENGTH } from "../domain/knowledge/Passage.ts"

/** The declaration of a tool to a language model. */
export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly inputSchema: JsonSchema.JsonSchema
}

/** The input of `searchKnowledgeBase`. */
export const SearchInput = Schema.Struct({
  query: textBetween(1, QUERY_MAX_LENGTH).annotate({
    description:
      "What to look for: a question or key words, in the language of the documents where it is known. It must be understood without the conversation: after a question about tickets, 'And for students?' is searched as 'student ticket price'.",
  }),
})

/** The declaration of the search in a chatbot's knowledge base. Its result is a list of `PassageJson`. */
export const searchKnowledgeBase: ToolDeclaration = {
  name: "searchKnowledgeBase",
  description: `Searches the documents of this chatbot's knowledge base and returns the passages that fit the query best, best first, each with its title and, where it has one, its section. ${similarityMeaning} Search for each subject by itself: a comparison of two products takes two queries. The search knows neither the conversation nor anything outside the documents. An empty list means that nothing was found.`,
  // As strict as the decoder of its calls.
  inputSchema: { ...Tool.getJsonSchemaFromSchema(SearchInput), additionalProperties: false },
}

/** The input of `requestHuman`. */
export const HumanRequest = Schema.Struct({
  reason: textBetween(1, 500).annotate({ description: "Why, in a few words for the person." }),
})

/** The declaration of the request for a person, to whom the conversation is handed over once the reply is made. */
export const requestHuman: ToolDeclaration = {
  name: "requestHuman",
  description:
    "Hands this conversation over to a person of the team, who answers from then on. Call it when the user asks for a person, and when only a person can do what the user needs. Do not call it because of an earlier wish that a person has dealt with since. Then tell the user in one sentence, in the user's language, that a person will answer here.",
  inputSchema: { ...Tool.getJsonSchemaFromSchema(HumanRequest), additionalProperties: false },
}

/** The most titles that `listDocuments` returns. */
export const TITLES_MAX = 50

/** The documents of a chatbot: their number, and the titles of the first ones. */
export interface DocumentTitles {
  readonly total: number
  /** At most `TITLES_MAX`, oldest first. */
  readonly titles: ReadonlyArray<string>
}

/** The result of `listDocuments`. */
export const DocumentTitles: Schema.Codec<DocumentTitles> = Schema.Struct({
  total: Schema.Int,
  titles: Schema.Array(Schema.String),
})

/** The declaration of the list of a chatbot's documents. It takes no input, and its result is `DocumentTitles`. */
export const listDocuments: ToolDeclaration = {
  name: "listDocuments",
  description: `Returns how many documents this chatbot's knowledge base has, and the titles of the first ${TITLES_MAX}. Call it when the user asks what you know about, or which documents or topics there are. To answer any other question, search instead: titles are no answers.`,
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
}
