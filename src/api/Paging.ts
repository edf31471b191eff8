import { Schema } from "effect"

/** A whole number in decimal digits and nothing else: no sign, space, exponent or `0x`. */
export const integer = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isPattern(/^\d+$/, { message: "Expected a whole number" })).pipe(
    Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))),
  )

/** `page` and `limit` of every paged list. */
export const pageQuery = {
  page: Schema.optionalKey(
    integer(1, 1_000_000_000).annotate({ description: "Page number from 1. Default 1.", examples: [1] }),
  ),
  limit: Schema.optionalKey(
    integer(1, 100).annotate({ description: "Items of a page, 1 to 100. Default 20.", examples: [20] }),
  ),
}

/** The page that a query asks for. */
export const pageOf = ({ page = 1, limit = 20 }: { readonly page?: number; readonly limit?: number }) => ({
  page,
  limit,
})
