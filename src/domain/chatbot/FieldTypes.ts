import { Schema, Struct } from "effect"
import { textUpTo } from "../schema/Text.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/*
 * Fields that the configurations of a chatbot share.
 */

const LABEL_MAX_LENGTH = 500

export const isHttpUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/** A URL that browsers load and that the server never fetches. Empty for none. */
export const ImageUrl = textUpTo(2_048)
  .check(Schema.makeFilter((text: string) => text === "" || isHttpUrl(text) || "Expected an http(s) URL", unexpressed))
  .annotate({ examples: ["https://example.com/logo.png"] })

/** A colour as `#rgb`, `#rrggbb` or `#rrggbbaa`. Empty for the widget's own colour. */
export const Color = Schema.String.check(
  Schema.isPattern(/^(?:#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8}))?$/u, {
    message: "Expected a colour as #rgb, #rrggbb or #rrggbbaa",
  }),
).annotate({ examples: ["#3b82f6"] })

export const isLanguageTag = (text: string) => {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

export const Language = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      text === "" || text === "auto" || isLanguageTag(text) || "Expected `auto` or a BCP 47 language tag",
    unexpressed,
  ),
).annotate({ examples: ["auto", "pt-BR"] })

export const Label = textUpTo(LABEL_MAX_LENGTH)

/** The same fields, all optional: a partial configuration, which is merged into the stored one. */
export const partial = <F extends Schema.Struct.Fields>(struct: Schema.Struct<F>) =>
  struct.mapFields(Struct.map(Schema.optionalKey))

/** The same fields, all optional, where null removes a field. */
export const clearable = <F extends Schema.Struct.Fields>(struct: Schema.Struct<F>) =>
  struct.mapFields(Struct.map(Schema.NullOr)).mapFields(Struct.map(Schema.optionalKey))
