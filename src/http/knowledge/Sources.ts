import { Effect } from "effect"
import { Source, SourcePatch } from "../../domain/knowledge/Source.ts"
import { Sources } from "../../services/knowledge/Sources.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { paged } from "../Listing.ts"
import { group } from "../Group.ts"

const sourceChange = changes(Source, SourcePatch)

export const layer = group("sources", function* (handlers) {
  const sources = yield* Sources

  return handlers.handleAll({
    createSource: ({ params, payload }) =>
      Effect.map(sources.create(params.chatbotId, payload), (source) => withEtag({ source }, source)),
    previewSource: ({ params, payload }) => Effect.bindTo(sources.preview(params.chatbotId, payload), "preview"),
    listSources: ({ params }) => Effect.bindTo(sources.list(params.chatbotId), "sources"),
    getSource: ({ params }) =>
      Effect.map(sources.get(params.chatbotId, params.sourceId), (source) => withEtag({ source }, source)),
    updateSource: ({ headers, params, payload }) =>
      Effect.map(
        sources.update(params.chatbotId, params.sourceId, sourceChange(payload), headers["if-match"]),
        (source) => withEtag({ source }, source),
      ),
    deleteSource: ({ params }) =>
      Effect.as(sources.remove(params.chatbotId, params.sourceId), {
        message: "Source deleted successfully" as const,
      }),
    listSourcePages: ({ params, query: { outcome, under, ...query } }) =>
      paged(query, (page) => sources.pages(params.chatbotId, params.sourceId, page, { outcome, under })),
    listPageBranches: ({ params, query }) =>
      Effect.bindTo(sources.branches(params.chatbotId, params.sourceId, query.under), "branches"),
    listSourceRuns: ({ params, query }) =>
      paged(query, (page) => sources.runs(params.chatbotId, params.sourceId, page)),
    startSourceRun: ({ params, payload }) =>
      Effect.bindTo(sources.start(params.chatbotId, params.sourceId, payload), "run"),
    stopSourceRun: ({ params }) => Effect.bindTo(sources.stop(params.chatbotId, params.sourceId, params.runId), "run"),
  })
})
