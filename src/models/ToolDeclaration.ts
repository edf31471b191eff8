import { type JsonSchema, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { textBetween } from "../domain/schema/Text.ts"
import { similarityMeaning } from "./PassageForm.ts"

/** The declaration of a tool to a language model. */
export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  /** A JSON Schema of an object. */
  readonly inputSchema: JsonSchema.JsonSchema
}

/** The longest query of a search, in UTF-16 code units. */
export const QUERY_MAX_LENGTH = 2_000

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
