import { Schema, Struct } from "effect"
import { CHAT_INPUT_MAX_LENGTH, ChatTurn } from "../chat/Chat.ts"
import { ChatbotId, DocumentId, idOf, MessageId } from "../Ids.ts"
import { boundedList } from "../schema/Bounded.ts"
import { textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/*
 * Tests of a chatbot: questions with what must be found for them, and what the answer must and must not say.
 */

export const TESTS_MAX = 5_000
/** The most turns before the question. */
export const HISTORY_MAX = 40
/** The longest turns before a question together, in UTF-16 code units: runs and lists read many tests at once. */
export const HISTORY_MAX_LENGTH = 100_000
/** The most expectations of each kind. */
export const EXPECTATIONS_MAX = 20
const TAGS_MAX = 20
export const Tags = boundedList(textBetween(1, 50), { maximum: TAGS_MAX }, { examples: [["refunds"]] })
/** The lowest rank at which a passage counts as found, where the test does not say. */
export const RANK_DEFAULT = 5

export const TestId = idOf("a test").pipe(Schema.brand("TestId"))
export type TestId = typeof TestId.Type

/** A passage, or any passage of a document, that a search for the question must find. */
export const FindExpectation = Schema.Struct({
  document_id: Schema.optionalKey(DocumentId),
  title: Schema.optionalKey(
    textBetween(1, 500).annotate({
      description: "The title or the file name of the document, which holds where no document has the id (any more).",
    }),
  ),
  contains: Schema.optionalKey(
    textBetween(1, 2_000).annotate({ description: "A text that the passage holds; blanks and case do not count." }),
  ),
  within: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 })).annotate({
      description: `The lowest rank that counts. Absent: ${RANK_DEFAULT}.`,
    }),
  ),
}).check(
  Schema.makeFilter(({ contains, document_id, title }) =>
    contains !== undefined || document_id !== undefined || title !== undefined
      ? undefined
      : { path: ["document_id"], issue: "Expected a document, a title, or a text that the passage holds" },
  ),
)
export type FindExpectation = typeof FindExpectation.Type

/** Something that the answer must say, or with `not` must not say. */
export const SayExpectation = Schema.Struct({
  kind: Schema.Literals(["words", "pattern", "judge"]).annotate({
    description:
      "`words`: a text that the answer holds; blanks and case do not count. `pattern`: a regular expression (RE2-like: without backreferences and lookaround) that matches somewhere in it. `judge`: a sentence that the model which judges must find true of the answer; it is not checked in the first tier.",
  }),
  value: textBetween(1, 2_000),
  not: Schema.optionalKey(Schema.Literal(true)),
})
export type SayExpectation = typeof SayExpectation.Type

export const Expectations = Schema.Struct({
  find: Schema.optionalKey(boundedList(FindExpectation, { maximum: EXPECTATIONS_MAX })),
  say: Schema.optionalKey(boundedList(SayExpectation, { maximum: EXPECTATIONS_MAX })),
  refusal: Schema.optionalKey(
    Schema.Literals(["must", "may"]).annotate({
      description:
        "Whether the chatbot must say that it has no answer, or may. Absent: it must not. Where it may and does, `say` is not checked.",
    }),
  ),
}).annotate({ identifier: "TestExpectations" })
export type Expectations = typeof Expectations.Type

const fields = {
  question: textBetween(1, CHAT_INPUT_MAX_LENGTH).annotate({ examples: ["How long do refunds take?"] }),
  history: Schema.optionalKey(
    boundedList(
      ChatTurn,
      { maximum: HISTORY_MAX },
      {
        description: `The turns of the conversation before the question, of ${HISTORY_MAX_LENGTH.toLocaleString("en")} characters together.`,
      },
    ).check(
      Schema.makeFilter(
        (turns: ReadonlyArray<ChatTurn>) =>
          turns.reduce((sum, { content }) => sum + content.length, 0) <= HISTORY_MAX_LENGTH ||
          `Expected at most ${HISTORY_MAX_LENGTH} characters together`,
        unexpressed,
      ),
    ),
  ),
  expectations: Expectations,
  tags: Schema.optionalKey(Tags),
}

export const TestInput = Schema.Struct(fields).annotate({
  examples: [
    {
      question: "How long do refunds take?",
      expectations: { find: [{ title: "Refunds" }], say: [{ kind: "words", value: "five days" }] },
    },
  ],
})
export type TestInput = typeof TestInput.Type

/** A change of a test. A field that is absent stays as it is. */
export const TestPatch = Schema.Struct(Struct.map(fields, Schema.optionalKey))
export type TestPatch = typeof TestPatch.Type

/** A test as the API shows it. */
export const ChatbotTest = Schema.Struct({
  id: TestId,
  chatbot_id: ChatbotId,
  question: Schema.String,
  history: Schema.Array(ChatTurn),
  expectations: Expectations,
  tags: Schema.Array(Schema.String),
  message_id: Schema.NullOr(MessageId).annotate({
    description: "The reply that it was made from, which may be deleted since; null where it was not made from one.",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "Test" })
export type ChatbotTest = typeof ChatbotTest.Type

export const TestImport = Schema.Struct({
  added: Schema.Int,
  updated: Schema.Int,
  unchanged: Schema.Int,
  refused: Schema.Array(Schema.Struct({ row: Schema.Int, reason: Schema.String })).annotate({
    description: "Tests that are not imported. `row`: the row or line of the file.",
  }),
}).annotate({ identifier: "TestImport" })
export type TestImport = typeof TestImport.Type
