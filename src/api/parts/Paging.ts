import { Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AnyUuid } from "../../domain/Ids.ts"
import type { Place } from "../../domain/Page.ts"

interface IntegerDocumentation {
  readonly description: string
  readonly default?: number
}

/**
 * The schema of a query parameter that is a whole number within bounds, written in decimal digits only: no sign, space,
 * exponent or `0x`. The OpenAPI document describes it as an integer with its bounds, although a query carries text.
 */
export const integer = (minimum: number, maximum: number, documentation: IntegerDocumentation) =>
  Schema.String.check(
    Schema.isPattern(/^\d+$/, {
      message: "Expected a whole number",
      toJsonSchema: () => ({ type: "integer", minimum, maximum, ...documentation }),
    }),
  ).pipe(Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))))

/** The query parameters of lists that are paged by number. */
export const pageQuery = {
  page: Schema.optionalKey(integer(1, 1_000_000_000, { description: "Number of the page, from 1.", default: 1 })),
  limit: Schema.optionalKey(integer(1, 100, { description: "Items of one page.", default: 20 })),
}

/** Fills in the defaults of `pageQuery`. */
export const pageOf = ({ page = 1, limit = 20 }: { readonly page?: number; readonly limit?: number }) => ({
  page,
  limit,
})

const message = "Expected `next_cursor` of the page before"

/** A position in a list, as an opaque text for clients: the position's time and id, separated by a dot. */
export const Cursor = Schema.String.check(
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

/** Encodes a position in a list as the cursor that clients send back. */
export const cursorOf = Schema.encodeSync(Cursor)

/** The most items in one response with a list that is paged by cursor, also when the request names no limit. */
export const LIST_LIMIT = 1_000

/** The query parameters of lists that are paged by cursor. */
export const cursorQuery = {
  limit: Schema.optionalKey(
    integer(1, LIST_LIMIT, {
      description: "Items of one page. Absent: all of them, up to 1,000.",
      default: LIST_LIMIT,
    }),
  ),
  cursor: Schema.optionalKey(Cursor),
}

/** The decoded query of a list that is paged by cursor. */
export interface CursorQuery {
  readonly limit?: number
  readonly cursor?: Place
}

/** The field in the body of a list that is paged by cursor that says where the next page starts. */
export const nextCursor = {
  next_cursor: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description:
        "The cursor of the next page. Null on the last page; absent when neither `limit` nor `cursor` was sent and this is all.",
    }),
  ),
}

/** A body of a list that is paged by cursor, with the header `Link` to the next page. */
export const withLink = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, {
    link: Schema.optionalKey(
      Schema.String.annotate({
        description: 'The address of the next page, with `rel="next"`, when there is one (RFC 8288).',
      }),
    ),
  })
