import { Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AnyUuid } from "../domain/Ids.ts"
import type { Place } from "../domain/Page.ts"

interface IntegerDocumentation {
  readonly description: string
  readonly default?: number
}

/**
 * A whole number in decimal digits and nothing else: no sign, space, exponent or `0x`. The OpenAPI document shows an
 * integer with its bounds, although a query carries text.
 */
export const integer = (minimum: number, maximum: number, documentation: IntegerDocumentation) =>
  Schema.String.check(
    Schema.isPattern(/^\d+$/, {
      message: "Expected a whole number",
      toJsonSchema: () => ({ type: "integer", minimum, maximum, ...documentation }),
    }),
  ).pipe(Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))))

/** `page` and `limit` of every paged list. */
export const pageQuery = {
  page: Schema.optionalKey(integer(1, 1_000_000_000, { description: "Number of the page, from 1.", default: 1 })),
  limit: Schema.optionalKey(integer(1, 100, { description: "Items of one page.", default: 20 })),
}

/** The page that a query asks for. */
export const pageOf = ({ page = 1, limit = 20 }: { readonly page?: number; readonly limit?: number }) => ({
  page,
  limit,
})

const message = "Expected `next_cursor` of the page before"

/** A place in a list, as a text that means nothing to a client. */
const Cursor = Schema.String.check(
  Schema.isPattern(/^\d{1,17}\.[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, { message }),
)
  .annotate({ description: "`next_cursor` of the page before." })
  .pipe(
    Schema.decodeTo(
      Schema.Struct({ at: Schema.String.check(Schema.isPattern(/^\d{1,17}$/, { message })), id: AnyUuid }),
      SchemaTransformation.transform({
        decode: (text) => {
          const [at = "", id = ""] = text.split(".")
          return { at, id }
        },
        encode: ({ at, id }) => `${at}.${id}`,
      }),
    ),
  )
export const cursorOf = Schema.encodeSync(Cursor)

/** Items of an answer, at most, of a list that is not paged by number; also when nobody asks for a page. */
export const listLimit = 1_000

/** `limit` and `cursor` of every list that is not paged by number. */
export const cursorQuery = {
  limit: Schema.optionalKey(
    integer(1, listLimit, { description: "Items of one page. Absent: all of them, up to 1,000.", default: listLimit }),
  ),
  cursor: Schema.optionalKey(Cursor),
}
export interface CursorQuery {
  readonly limit?: number
  readonly cursor?: Place
}

/** Where such a list goes on. */
export const nextCursor = {
  next_cursor: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description:
        "Where the next page starts. Null on the last page; absent when neither `limit` nor `cursor` was sent and this is all.",
    }),
  ),
}

export const withLink = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, {
    link: Schema.optionalKey(
      Schema.String.annotate({
        description: 'The address of the next page, with `rel="next"`, when there is one (RFC 8288).',
      }),
    ),
  })
