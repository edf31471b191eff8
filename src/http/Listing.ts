import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { type CursorQuery, cursorOf, LIST_LIMIT, pageOf } from "../api/parts/Paging.ts"
import { type Listed, type Page, pageMetadata, type Place, type Range } from "../domain/Page.ts"

/** Responds with the page that a query asks for. `read` returns its items and the number of the items of all pages. */
export const paged = <A extends { readonly total: number }, E, R>(
  query: Partial<Page>,
  read: (page: Page) => Effect.Effect<A, E, R>,
) => {
  const page = pageOf(query)
  return Effect.map(read(page), ({ total, ...found }) => ({ ...found, metadata: pageMetadata(page, total) }))
}

/** The range of items that the query of a list asks for. */
export const rangeOf = ({ limit = LIST_LIMIT, cursor }: CursorQuery): Range => ({ limit, after: cursor })

/**
 * The parts of a response that say where the next page starts: `next_cursor` of the body and the header `Link`. On the
 * last page `next_cursor` is null, or absent when the request named neither `limit` nor `cursor`.
 */
export const nextPage = (
  url: string,
  { limit, cursor }: CursorQuery,
  next: Place | undefined,
): { readonly body: { readonly next_cursor?: string | null }; readonly headers: { readonly link?: string } } => {
  const isPaged = limit !== undefined || cursor !== undefined
  if (next === undefined) return { body: isPaged ? { next_cursor: null } : {}, headers: {} }
  const next_cursor = cursorOf(next)
  const { pathname, searchParams } = new URL(url, "http://localhost")
  searchParams.set("cursor", next_cursor)
  return { body: { next_cursor }, headers: { link: `<${pathname}?${searchParams}>; rel="next"` } }
}

/** Makes the function that responds with a page of a list, which has its items where `bodyOf` puts them. */
export const pageIn =
  <A, Body extends object>(url: string, query: CursorQuery, bodyOf: (items: ReadonlyArray<A>) => Body) =>
  ({ items, next }: Listed<A>) => {
    const { body, headers } = nextPage(url, query, next)
    return HttpApiSchema.withHeaders({ body: { ...bodyOf(items), ...body }, headers })
  }
