import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChatbotId } from "../../domain/Ids.ts"
import { Source, SourceId, SourceInput, SourcePatch, SourcePreview } from "../../domain/knowledge/Source.ts"
import { PageBranch, PageOutcome, SourcePage } from "../../domain/knowledge/SourcePage.ts"
import { SourceRun, SourceRunId } from "../../domain/knowledge/SourceRun.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { PageMetadata } from "../../domain/Page.ts"
import { textUpTo } from "../../domain/schema/Text.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { AlsoRequires, described, slow } from "../parts/Annotations.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"
import { pageQuery } from "../parts/Paging.ts"

const sourcesPath = "/api/external/chatbot/:chatbotId/sources"
const sourcePath = `${sourcesPath}/:sourceId` as const
const ofChatbot = { chatbotId: ChatbotId }
const ofSource = { chatbotId: ChatbotId, sourceId: SourceId }

const OneSource = withEtag(Schema.Struct({ source: Source }))
const OneRun = Schema.Struct({ run: SourceRun })

const createSource = HttpApiEndpoint.post("createSource", sourcesPath, {
  params: ofChatbot,
  payload: SourceInput,
  success: OneSource.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict, Problem.QuotaReached],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Create a source",
      "Where the chatbot's knowledge lives, other than in uploaded files. Its first run begins at once, in the background; a `text` becomes a document. Every page is a document with its address. 409 when the chatbot has as many sources as it may, or another document with the same text.",
    ),
  )

const previewSource = HttpApiEndpoint.post("previewSource", `${sourcesPath}/preview`, {
  params: ofChatbot,
  payload: SourceInput,
  success: Schema.Struct({ preview: SourcePreview }),
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Preview a source",
      "What a `website`, `sitemap`, `llms_txt` or `feed` would read: the hosts, the scope, and the pages that its lists name. It reads robots.txt and the lists, and no page; nothing is stored.",
    ),
  )

const listSources = HttpApiEndpoint.get("listSources", sourcesPath, {
  params: ofChatbot,
  success: Schema.Struct({ sources: Schema.Array(Source) }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(described("List sources", "Oldest first, all of them, each with its last run and without its `text`."))

const getSource = HttpApiEndpoint.get("getSource", sourcePath, {
  params: ofSource,
  success: OneSource,
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(described("Get a source", "With its last run. The `ETag` names this version of it, for `If-Match`."))

const updateSource = HttpApiEndpoint.patch("updateSource", sourcePath, {
  params: ofSource,
  headers: IfMatch,
  payload: ChangePayload(SourcePatch),
  success: OneSource,
  error: [Problem.NotFound, Problem.Conflict, Problem.PreconditionFailed, Problem.QuotaReached],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotate(RequiredScope, "knowledge:write")
  .annotate(AlsoRequires, ["knowledge:read"])
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update a source",
      description: `Absent fields stay; lists are replaced as a whole. A run under way goes on as it began. Pages that the new patterns exclude are deleted by the second run after the change. The key needs \`knowledge:read\` as well. ${changeDescription}`,
    }),
  )

const deleteSource = HttpApiEndpoint.delete("deleteSource", sourcePath, {
  params: ofSource,
  success: Schema.Struct({ message: Schema.Literal("Source deleted successfully") }),
  error: Problem.NotFound,
})
  .annotateMerge(slow(requestCosts.bulk))
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(described("Delete a source", "With its documents, runs and questions: they are gone when it answers."))

const listSourcePages = HttpApiEndpoint.get("listSourcePages", `${sourcePath}/pages`, {
  params: ofSource,
  query: {
    ...pageQuery,
    outcome: Schema.optionalKey(PageOutcome.annotate({ description: "Pages of this outcome only." })),
    under: Schema.optionalKey(textUpTo(2_000).annotate({ description: "Pages only whose addresses begin with this." })),
  },
  success: Schema.Struct({ data: Schema.Array(SourcePage), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described("List the pages of a source", "By their addresses, each with the reason for what became of it."),
  )

const listPageBranches = HttpApiEndpoint.get("listPageBranches", `${sourcePath}/pages/tree`, {
  params: ofSource,
  query: {
    under: Schema.optionalKey(
      textUpTo(2_000).annotate({ description: "`prefix` of the branch whose parts are listed. Absent: the hosts." }),
    ),
  },
  success: Schema.Struct({ branches: Schema.Array(PageBranch) }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "List the branches of a source's pages",
      "The pages as a tree: the hosts, or what follows a prefix up to the next `/`, with the numbers of pages by outcome. At most 1,000, those with the most pages.",
    ),
  )

const listSourceRuns = HttpApiEndpoint.get("listSourceRuns", `${sourcePath}/runs`, {
  params: ofSource,
  query: pageQuery,
  success: Schema.Struct({ data: Schema.Array(SourceRun), metadata: PageMetadata }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "knowledge:read")
  .annotateMerge(
    described(
      "List the runs of a source",
      "The latest first. Those of the last 30 days are kept, and always the last one.",
    ),
  )

const startSourceRun = HttpApiEndpoint.post("startSourceRun", `${sourcePath}/runs`, {
  params: ofSource,
  payload: Schema.Struct({
    only: Schema.optionalKey(
      Schema.NullOr(PageOutcome).annotate({ description: "Read the pages of this outcome only, such as `failed`." }),
    ),
    confirm: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "Delete the pages that are gone, however many they are: the answer to a run that is `held`.",
      }),
    ),
  }),
  success: OneRun.pipe(HttpApiSchema.status(202)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(
    described(
      "Run a source now",
      "409 while a run waits or is under way, and for `text` and `questions`, which have no runs.",
    ),
  )

const stopSourceRun = HttpApiEndpoint.post("stopSourceRun", `${sourcePath}/runs/:runId/stop`, {
  params: { ...ofSource, runId: SourceRunId },
  success: OneRun.pipe(HttpApiSchema.status(202)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .annotate(RequiredScope, "knowledge:write")
  .annotateMerge(described("Stop a run", "What was read stays, and nothing is deleted. 409 when the run has ended."))

/** The endpoints that manage the sources of a chatbot's knowledge, and show what became of their pages. */
export class SourcesApi extends HttpApiGroup.make("sources")
  .add(
    createSource,
    previewSource,
    listSources,
    getSource,
    updateSource,
    deleteSource,
    listSourcePages,
    listPageBranches,
    listSourceRuns,
    startSourceRun,
    stopSourceRun,
  )
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({ title: "Sources", description: "Websites and other places that knowledge is read from." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
