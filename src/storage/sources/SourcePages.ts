import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SourceId } from "../../domain/knowledge/Source.ts"
import { PageBranch, type PageOutcome, SourcePage } from "../../domain/knowledge/SourcePage.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { counted, decodeRows, TimestampColumn } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** The pages that a reader wants: those of an outcome, and those whose addresses begin so; undefined for all. */
export interface PageFilter {
  readonly outcome: PageOutcome | undefined
  readonly under: string | undefined
}

const BRANCHES_MAX = 1_000

const decodePages = decodeRows(Schema.Struct({ ...SourcePage.fields, fetched_at: Schema.NullOr(TimestampColumn) }))
const decodeBranches = decodeRows(PageBranch)

/** The table `source_pages` as readers see it, always within the current organization. */
export class SourcePages extends Service<SourcePages>()("parley/storage/sources/SourcePages", function* () {
  const sql = yield* SqlClient.SqlClient

  const matching = Effect.fnUntraced(function* (source: SourceId, { outcome, under }: PageFilter) {
    return sql`source_id = ${source} and organization_id = ${yield* CurrentOrganization}
      ${outcome === undefined ? sql`` : sql`and outcome = ${outcome}`}
      ${under === undefined ? sql`` : sql`and url ^@ ${under}`}`
  })

  return {
    /** Lists some of the pages of a source, by their addresses. */
    list: Effect.fnUntraced(function* (source: SourceId, page: Page, filter: PageFilter) {
      const wanted = yield* matching(source, filter)
      const data = yield* decodePages(sql`
        select id, url, outcome, detail, http_status, is_waiting as waiting, depth, found_on, title, language,
          published_at, document_id, fetched_at
        from source_pages where ${wanted} order by url limit ${page.limit} offset ${offset(page)}`)
      return { data, total: yield* counted(sql`select count(*)::int as count from source_pages where ${wanted}`) }
    }, withoutSqlErrors),

    /** Groups the pages of a source by what follows a prefix up to the next slash, or by their hosts without one. */
    branches: Effect.fnUntraced(function* (source: SourceId, under: string | undefined) {
      const wanted = yield* matching(source, { outcome: undefined, under })
      const start =
        under === undefined
          ? sql`split_part(url, '//', 1) || '//' as base, substr(url, strpos(url, '//') + 2) as rest`
          : sql`${under}::text as base, substr(url, length(${under}::text) + 1) as rest`
      return yield* decodeBranches(sql`
        select base || name || case when is_branch then '/' else '' end as prefix, name,
          sum(pages)::int as page_count, jsonb_object_agg(outcome, pages) as counts
        from (
          select base, split_part(rest, '/', 1) as name, strpos(rest, '/') > 0 as is_branch,
            case when is_waiting then 'waiting' else coalesce(outcome, 'unread') end as outcome, count(*)::int as pages
          from (select ${start}, is_waiting, outcome from source_pages where ${wanted}) page
          group by 1, 2, 3, 4
        ) counted
        group by base, name, is_branch order by page_count desc, prefix limit ${BRANCHES_MAX}`)
    }, withoutSqlErrors),
  }
}) {}
