import { type CursorQuery, cursorOf, listLimit } from "../api/Paging.ts"
import type { Place, Range } from "../domain/Page.ts"

export const rangeOf = ({ limit = listLimit, cursor }: CursorQuery): Range => ({ limit, after: cursor })

/**
 * How an answer says where the next page starts: in its body, and in its headers. Who asked for no page is told only
 * when there is more.
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
