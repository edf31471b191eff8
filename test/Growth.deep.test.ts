import { describe, expect, test } from "bun:test"
import { Validator } from "@cfworker/json-schema"
import { Effect, Schema } from "effect"
import { sourcesOf } from "../src/agent/Citations.ts"
import { linesOf } from "../src/text/Lines.ts"
import { answerTo } from "../src/models/local/Answer.ts"
import { nearby } from "../src/models/local/Nearby.ts"
import { read as excerptsOf } from "../src/models/local/Reading.ts"
import { wordsOf } from "../src/language/words/UnicodeWords.ts"
import { ChatbotInput } from "../src/domain/chatbot/Chatbot.ts"
import { slugOf } from "../src/domain/chatbot/Slug.ts"
import { ChatWidgetPatch } from "../src/domain/chatbot/ChatWidget.ts"
import { ChatbotToolInput } from "../src/domain/chatbot/ChatbotTool.ts"
import type { Message } from "../src/domain/chat/Conversation.ts"
import { displayName } from "../src/domain/knowledge/Document.ts"
import { findEmail, isOnlyEmail } from "../src/domain/chat/EmailAddress.ts"
import { emailRequest } from "../src/services/conversations/EmailGate.ts"
import { detect, Format } from "../src/domain/knowledge/Formats.ts"
import { newTurns } from "../src/domain/chat/History.ts"
import { MessageId, SessionId } from "../src/domain/Ids.ts"
import { isCutObject, jsonDepth } from "../src/text/Json.ts"
import { detectLanguage } from "../src/language/Detection.ts"
import { normalize } from "../src/text/Normalization.ts"
import { timestamp } from "../src/domain/schema/Timestamp.ts"
import { notations } from "../src/domain/chat/Transcript.ts"
import { placeholdersOf, urlTemplateProblem } from "../src/domain/chatbot/UrlTemplate.ts"
import { spacedWords } from "../src/language/words/Words.ts"
import { embedLocally } from "../src/embeddings/LocalEmbedding.ts"
import { UploadWaits, waitOf } from "../src/http/knowledge/UploadWait.ts"
import { chunk } from "../src/readers/chunk/Chunker.ts"
import { Unreadable } from "../src/readers/extract/Extraction.ts"
import { headingOf, plainText } from "../src/readers/extract/Heading.ts"
import { markdownLink } from "../src/readers/extract/Link.ts"
import { readDocument as read } from "./lib/Defaults.ts"
import { cleanTitle, normalizeText, titleOfFile } from "../src/readers/extract/Text.ts"
import { compoundFileOf, msgStreams, xlsFile, xlsLabel } from "./lib/files/CompoundFile.ts"
import { epubFile, openDocument } from "./lib/files/OpenFiles.ts"
import { docxFile, paragraph, pptxFile, rows, shape, xlsxFile } from "./lib/files/OfficeFile.ts"
import { least } from "./lib/effort/Guard.ts"
import { units } from "./lib/Growth.ts"
import { sampleOf } from "./lib/Sample.ts"
import { bounded } from "../src/text/BoundedText.ts"

/*
 * Functions that process what callers send take linear time. A short piece repeated up to the length of the longest
 * message takes a few milliseconds, where a scan that restarts at each position takes half a second and more. Every
 * piece is tried in CI, and a sample elsewhere.
 */

/** The length of the longest message and of the largest document that is read in place, in UTF-16 code units. */
const LENGTH = 32_000
/** The most processor time in milliseconds, a multiple of what any function takes on a slow machine without warm-up. */
const LIMIT = 250

const passage = (content: string) => ({ title: "Title", chunk: 1, content, document_id: "d" })
const exchange = { body: "", bodyLength: 0, headers: {}, warnings: [] }
const sourcesIn = (text: string, content: string) =>
  Effect.runPromise(
    sourcesOf(
      { text, sources: [], exchange },
      { question: "Who?", found: [{ documentId: "d", title: "Title", chunk: 1, page: null, content }] },
    ),
  )
const turns = (text: string) => Array.from({ length: 200 }, (_, index) => text.slice(index * 100, index * 100 + 300))
const asTurns = (text: string) => turns(text).map((content) => ({ role: "assistant" as const, content }))
const tool = { name: "a", description: "a", input_schema: { type: "object" } }
const waits = UploadWaits.defaultValue()
const decoding = <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema, { errors: "all" })
  return (value: unknown) => decode(value)
}
const asChatbot = decoding(ChatbotInput)
const asWidget = decoding(ChatWidgetPatch)
const asTool = decoding(ChatbotToolInput)

/** The formats that are checked in a tool's input, whose longest text is half as long. */
const inputFormats = ["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"]
const validators = inputFormats.map((format) => new Validator({ type: "string", format }, "2020-12", true))

/** Cut to no length, so that it shows whether what analyses a text takes linear time. */
const whole = (text: string) => bounded(text, Number.MAX_SAFE_INTEGER)

const scans: Readonly<Record<string, (text: string) => unknown>> = {
  "normalization, all forms": (text) => (["NFC", "NFD", "NFKC", "NFKD"] as const).map((form) => normalize(text, form)),
  "the sentences of a text": (text) => linesOf(whole(text)),
  "the words of a text": (text) => wordsOf(whole(text)),
  "the words of a search": (text) => spacedWords(whole(text)),
  "the language of a text": (text) => detectLanguage(whole(text)),
  "a local embedding": (text) => embedLocally(whole(text)),
  "the answer to a long question": (text) =>
    answerTo(whole(text), excerptsOf([passage("One two a b c 1. 漢 é https.")])),
  "the answer from a long passage": (text) => answerTo(whole("what is a b 1 漢 é"), excerptsOf([passage(text)])),
  "the answer from a passage that is the question": (text) => answerTo(whole(text), excerptsOf([passage(text)])),
  "the places near an answer": (text) => nearby(whole("what is a b 1 漢 é"), [passage(text)]),
  "the sources of a long answer": (text) => sourcesIn(text, "One two a b c 1. 漢 é https."),
  "the sources in a long passage": (text) => sourcesIn("One two a b c 1. 漢 é https.", text),
  "the sources of an answer that is the passage": (text) => sourcesIn(text, text),
  "an e-mail address": (text) => [findEmail(text), isOnlyEmail(text), emailRequest(text)],
  "a history that is sent again": (text) => newTurns([...asTurns(text), ...asTurns(text)], asTurns(text)),
  "a history that is sent changed": (text) => newTurns([...asTurns(text), ...asTurns(`x${text}`)], asTurns(`y${text}`)),
  "a chatbot": (text) => asChatbot({ name: text, slug: text, description: text, settings: { model: text } }),
  "a widget": (text) =>
    asWidget({ logo: `https://${text}`, language: text, primaryColor: `#${text}`, header: text, slogan: text }),
  "a tool": (text) => asTool({ ...tool, name: text, url: `https://${text}`, headers: { a: text, [text]: "a" } }),
  "a tool's path": (text) => asTool({ ...tool, url: `https://a.b/${text.slice(0, 2_000)}` }),
  "an address": (text) => [urlTemplateProblem(`https://a.b/${text}`), placeholdersOf(text)],
  "a slug": slugOf,
  "a file's name": (text) => [displayName(text), titleOfFile(whole(text)), detect(text, new Uint8Array(1))],
  "a Prefer header": (text) => waitOf(text, waits),
  "JSON that is cut": (text) => [jsonDepth(text), isCutObject(text)],
  "a transcript": (text) => notations.markdown.message({ ...said, content: text }, 0),
  "a link": (text) => [markdownLink(text, "https://a.b"), markdownLink("a", `https://${text}`)],
  "a heading": (text) => [plainText(text), headingOf(`# ${text}`), headingOf(`${text} #`)],
  "a text": (text) => [normalizeText(text), cleanTitle(whole(text))],
  "passages of a text": (text) => chunk({ title: "Title", text: normalizeText(text) }),
  "the input of a tool": (text) => validators.map((validator) => validator.validate(text.slice(0, LENGTH / 2))),
}

const said: Message = {
  id: MessageId.make("01a1f949-b557-76c3-802f-bd8df25192ac"),
  session_id: SessionId.make("01a1f949-b557-76c3-802f-bd8df25192ac"),
  sender_type: "user",
  content: "",
  attachments: null,
  created_at: timestamp(new Date(0)),
  metadata: {},
  migrated_data: false,
  model: null,
  provider: null,
  session_token: null,
  tokens_used: 0,
  tool_calls: null,
  tool_results: null,
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").toWellFormed()

const bytesOf: Partial<Record<Format, (text: string) => Uint8Array>> = {
  md: (text) => Buffer.from(text),
  txt: (text) => Buffer.from(text),
  html: (text) => Buffer.from(text),
  csv: (text) => Buffer.from(text),
  json: (text) => Buffer.from(text),
  docx: (text) => docxFile(paragraph(escaped(text))),
  pptx: (text) => pptxFile([{ shapes: shape(escaped(text)) }]),
  xlsx: (text) =>
    xlsxFile([{ name: "a", content: rows([escaped(text)]) }], {
      styles: `<numFmts><numFmt numFmtId="200" formatCode="${escaped(text)}"/></numFmts>`,
    }),
  odt: (text) => openDocument("odt", `<text:p>${escaped(text)}</text:p>`),
  ods: (text) =>
    openDocument(
      "ods",
      `<table:table><table:table-row><table:table-cell><text:p>${escaped(text)}</text:p></table:table-cell></table:table-row></table:table>`,
    ),
  odp: (text) => openDocument("odp", `<draw:page><text:p>${escaped(text)}</text:p></draw:page>`),
  epub: (text) => epubFile([{ path: "a.xhtml", body: escaped(text) }]),
  rtf: (text) => Buffer.from(`{\\rtf1 ${text}}`),
  xls: (text) => xlsFile([{ name: "a", records: [xlsLabel(0, 0, text.slice(0, 4_000))] }]),
  eml: (text) => Buffer.from(`Subject: ${text.slice(0, LENGTH / 2)}\r\n\r\n${text}`),
  msg: (text) => compoundFileOf(msgStreams({ "0037": text, "1000": text })),
  ipynb: (text) =>
    Buffer.from(
      JSON.stringify({
        nbformat: 4,
        cells: [
          { cell_type: "markdown", source: text },
          { cell_type: "code", source: text, outputs: [{ text }, { data: { "text/html": `<table>${text}` } }] },
        ],
      }),
    ),
  xml: (text) => Buffer.from(`<a><b c="1">${text}</b><b>${escaped(text)}</b></a>`),
  srt: (text) => Buffer.from(text),
  vtt: (text) => Buffer.from(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`),
}

const repeated = (unit: string) => unit.repeat(Math.ceil(LENGTH / unit.length))

/** The pieces whose repetition takes too long each time, so that slow moments of the machine do not count. */
const slow = async (scan: (text: string) => unknown, around = "", pieces = sampleOf(units, 4)) => {
  const found: Array<string> = []
  for (const unit of pieces) {
    const text = around + repeated(unit) + around
    if ((await least(() => scan(text), LIMIT)) > LIMIT) found.push(unit)
  }
  return found
}

describe("any repetitive text of the greatest length takes milliseconds:", () => {
  test.each(Object.entries(scans))("%s", async (_, scan) => {
    expect(await slow(scan)).toEqual([])
    expect(await slow(scan, "x")).toEqual([])
  })

  test.each(Object.entries(bytesOf))("reading a document in %s", async (format, bytes) => {
    const reading = (text: string) =>
      read({ format: Schema.decodeUnknownSync(Format)(format), name: `a.${format}`, bytes: bytes(text) }).catch(
        (cause: unknown) => {
          if (!(cause instanceof Unreadable)) throw cause
        },
      )
    expect(await slow(reading, "x")).toEqual([])
  })
})

test("a scan that restarts at each position is found to be slow", async () => {
  expect(await slow((text) => text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1"), "", ["[", "a"])).toEqual(["["])
})
