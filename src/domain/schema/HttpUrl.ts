import { Schema } from "effect"
import { textBetween } from "./Text.ts"
import { unexpressed } from "./Unexpressed.ts"

/** Longest URL of a server or a page, in UTF-16 code units. */
export const URL_MAX_LENGTH = 2_000

const problemOf = (text: string) => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return "Expected an http(s) URL"
  return url.username === "" && url.password === "" ? undefined : "Expected a URL without a user name and a password"
}

/** An http(s) URL without a user name and a password. */
export const HttpUrl = textBetween(1, URL_MAX_LENGTH).check(Schema.makeFilter(problemOf, unexpressed))
