import { Schema, Struct } from "effect"
import { ChatbotId, idOf } from "../Ids.ts"
import { boundedList } from "../schema/Bounded.ts"
import { HttpUrl } from "../schema/HttpUrl.ts"
import { Name, textBetween, textUpTo } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { SourceRun } from "./SourceRun.ts"

/*
 * Sources: where a chatbot's knowledge lives, other than in uploaded files.
 */

/** The most sources of one chatbot. */
export const SOURCES_MAX = 100
/** The most pages of a source, and how many there may be where the source does not say. */
export const PAGES_MAX = 50_000
export const PAGES_DEFAULT = 2_000
/** The most links from a start address to a page, and how many where the source does not say. */
export const DEPTH_MAX = 50
export const DEPTH_DEFAULT = 10
const URLS_MAX = 50
const PATTERNS_MAX = 100
const TEXT_MAX_LENGTH = 200_000

export const SourceId = idOf("a source").pipe(Schema.brand("SourceId"))
export type SourceId = typeof SourceId.Type

export const SourceKind = Schema.Literals(["website", "sitemap", "llms_txt", "feed", "text", "questions"])
export type SourceKind = typeof SourceKind.Type

/** A kind of source whose pages are fetched, by runs. */
export type CrawledKind = Exclude<SourceKind, "questions" | "text">

/** Whether a source of the kind is read by runs, and may have a schedule. */
export const isCrawled = (kind: SourceKind): kind is CrawledKind => kind !== "text" && kind !== "questions"

export const Schedule = Schema.Literals(["hourly", "daily", "weekly", "monthly"])
export type Schedule = typeof Schedule.Type

const patterns = (description: string, examples: ReadonlyArray<ReadonlyArray<string>>) =>
  boundedList(textBetween(1, 500), { maximum: PATTERNS_MAX }, { description, examples })

const optional = {
  urls: boundedList(
    HttpUrl,
    { maximum: URLS_MAX },
    {
      description:
        "Where reading begins: the first pages of a `website`, or the addresses of the sitemaps, `llms.txt` files or feeds. Empty for `text` and `questions`. Private addresses are refused, unless the server's settings allow them.",
      examples: [["https://docs.example.com/guide/"]],
    },
  ),
  include: patterns(
    "Globs of the pages to read: `/guide/**` on the hosts of the addresses, or with a host, `docs.example.com/**`. `*` stands for anything within a segment of the path, `**` for anything. Empty: everything below the directories of `urls`, or all that the lists name.",
    [["/guide/**"]],
  ),
  exclude: patterns("Globs of pages not to read, even if `include` names them.", [["/guide/archive/**"]]),
  depth: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: DEPTH_MAX })).annotate({
    description: `The most links from one of \`urls\` to a page of a \`website\`. ${DEPTH_DEFAULT} where absent.`,
  }),
  max_pages: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: PAGES_MAX })).annotate({
    description: `The most pages that become documents. ${PAGES_DEFAULT} where absent.`,
  }),
  text: Schema.NullOr(
    textUpTo(TEXT_MAX_LENGTH).annotate({
      description:
        "The Markdown of a source of kind `text`, which becomes one document. Null for the other kinds, and in lists.",
    }),
  ),
  schedule: Schema.NullOr(Schedule).annotate({
    description: "How often the pages are read anew; null: only when somebody asks. Null for `text` and `questions`.",
  }),
}

/** The fields of a new source. */
export const SourceInput = Schema.Struct({
  kind: SourceKind.annotate({
    description:
      "`website`: pages, and those that they link to. `sitemap`, `llms_txt`, `feed`: the pages that a sitemap, an `llms.txt` or an RSS or Atom feed names. `text`: a text written here. `questions`: questions with approved answers.",
  }),
  name: Name.annotate({ description: "For people.", examples: ["Documentation"] }),
  ...Struct.map(optional, Schema.optionalKey),
})
export type SourceInput = typeof SourceInput.Type

/** A change of a source. A field that is absent stays as it is. */
export const SourcePatch = SourceInput.mapFields(Struct.omit(["kind"])).mapFields(Struct.map(Schema.optionalKey))
export type SourcePatch = typeof SourcePatch.Type

/** What a source reads, as its column `config` has it. */
export const SourceConfig = Schema.Struct({
  urls: Schema.Array(Schema.String),
  include: Schema.Array(Schema.String),
  exclude: Schema.Array(Schema.String),
  depth: Schema.Int,
  max_pages: Schema.Int,
  text: Schema.NullOr(Schema.String),
})
export type SourceConfig = typeof SourceConfig.Type

/** A source as the API shows it. */
export const Source = Schema.Struct({
  id: SourceId,
  chatbot_id: ChatbotId,
  kind: SourceKind,
  name: Schema.String,
  ...SourceConfig.fields,
  schedule: Schema.NullOr(Schedule),
  next_run_at: Schema.NullOr(Timestamp).annotate({ description: "When the schedule begins the next run." }),
  document_count: Schema.Int.annotate({ description: "Documents that it has made: pages, or questions." }),
  last_run: Schema.NullOr(SourceRun),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({
  identifier: "KnowledgeSource",
  examples: [
    {
      id: SourceId.make("01a1f949-7c10-7d5e-8a41-0c6a2b9f3d11"),
      chatbot_id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
      kind: "website",
      name: "Documentation",
      urls: ["https://docs.example.com/guide/"],
      include: [],
      exclude: ["/guide/archive/**"],
      depth: DEPTH_DEFAULT,
      max_pages: PAGES_DEFAULT,
      text: null,
      schedule: "daily",
      next_run_at: Timestamp.make("2026-11-21T14:08:16.357+00:00"),
      document_count: 118,
      last_run: null,
      created_at: Timestamp.make("2026-11-20T14:08:16.357+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:16.357+00:00"),
    },
  ],
})
export type Source = typeof Source.Type

/** A source with its version, which increases with every change of it and from which the ETag is made. */
export interface VersionedSource extends Source {
  readonly version: bigint
}

/** What a source would read, found out without reading any page. */
export const SourcePreview = Schema.Struct({
  hosts: Schema.Array(Schema.String).annotate({ description: "The hosts that requests would be sent to." }),
  include: Schema.Array(Schema.String).annotate({
    description:
      "The globs of pages to read, with the host: those of the source, or those inferred from its addresses.",
  }),
  listed: Schema.NullOr(Schema.Int).annotate({
    description: "Pages within the scope that the sitemaps, the list or the feed name; null where there is none.",
  }),
  examples: Schema.Array(Schema.String).annotate({ description: "The first of them." }),
  problems: Schema.Array(Schema.String).annotate({
    description: "What keeps the source from being read, such as robots.txt, in plain words; empty where nothing does.",
  }),
}).annotate({
  identifier: "SourcePreview",
  examples: [
    {
      hosts: ["docs.example.com"],
      include: ["docs.example.com/guide/**"],
      listed: 118,
      examples: ["https://docs.example.com/guide/install"],
      problems: [],
    },
  ],
})
export type SourcePreview = typeof SourcePreview.Type
