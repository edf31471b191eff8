import type { Draw } from "./Draw.ts"

/*
 * Values, texts and bytes that no client means to send.
 */

const MEBIBYTE = 2 ** 20

/** Texts that have broken programs: control characters, lone surrogates, other scripts, paths, markup and statements. */
export const hostileTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u2066\u061c",
  "\ufeff\ufffe\uffff",
  "ﷺ".repeat(50),
  "a\u0301".repeat(200),
  "👩‍👩‍👧‍👦".repeat(50),
  "../../../../etc/passwd",
  "..%2f..%2f",
  "%00",
  "%",
  "' or 1=1; drop table chatbots; --",
  "${7*7}{{7*7}}<%= 7*7 %>",
  "<script>alert(1)</script>",
  "=cmd|' /C calc'!A0",
  "\r\nx-injected: yes\r\n\r\n",
  "__proto__",
  "constructor",
  "9007199254740993",
  "1e400",
  "-0",
  "NaN",
  "true",
  "null",
  "00000000-0000-0000-0000-000000000000",
  "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  "x".repeat(300),
  "x".repeat(40_000),
  "http://[::1",
  "http://a.example:99999/",
  "javascript:alert(1)",
  "https://exa mple/",
] as const

/** Days and times that do not exist, or that some programs cannot hold. */
export const hostileTimes = [
  "2026-02-30",
  "2026-13-01T00:00:00Z",
  "9999-12-31",
  "9999-12-31T23:59:59Z",
  "+010000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "-271821-04-20T00:00:00.000Z",
  "0000-01-01T00:00:00Z",
  "2300-01-01T00:00:00+23:59",
  "2300-01-01",
  "Infinity",
] as const

const hostileNumbers = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e21,
  1e308,
  Number.MIN_VALUE,
  4_294_967_296,
  1_000_000_001,
] as const

const nest = (depth: number, value: unknown): unknown => {
  let nested = value
  for (let level = 0; level < depth; level++) nested = level % 2 === 0 ? [nested] : { a: nested }
  return nested
}

/** The names of fields that hold times or days. */
const timeName = /(?:_at|from|to|until|since|before|after)$/

/** A text in place of that of a field or parameter. */
export const hostileText = (draw: Draw, name: string): string =>
  draw.oneOf(timeName.test(name) ? hostileTimes : hostileTexts)

/** A value that is seldom what the field of this name expects. */
export const hostileValue = (draw: Draw, name: string): unknown => {
  switch (draw.below(12)) {
    case 0:
      return null
    case 1:
      return draw.chance(0.5)
    case 2:
    case 3:
      return draw.oneOf(hostileNumbers)
    case 4:
      return Array.from({ length: draw.below(40) }, () => draw.oneOf(hostileTexts).slice(0, 300))
    case 5:
      return { [draw.oneOf(hostileTexts).slice(0, 300)]: draw.oneOf(hostileNumbers) }
    case 6:
      return nest(1 + draw.below(40), draw.oneOf(hostileTexts).slice(0, 300))
    default:
      return hostileText(draw, name)
  }
}

/** Bytes in place of a JSON body. `valid` is the text of a valid one. */
export const hostileJson = (draw: Draw, valid: string): Uint8Array => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  switch (draw.below(15)) {
    case 0:
      return bytes("")
    case 1:
      return bytes(valid.slice(0, draw.below(valid.length)))
    case 2:
      return bytes("[".repeat(1 + draw.below(200_000)))
    case 3: {
      const depth = 20 + draw.below(30)
      return bytes(`${"[".repeat(depth)}${"]".repeat(depth)}`)
    }
    case 4:
      return bytes(`{"a":${"9".repeat(1 + draw.below(5_000))}}`)
    case 5:
      return bytes(valid.replace("{", `{"name":"twice","name":null,"__proto__":{"admin":true},`))
    case 6:
      return bytes(valid.replaceAll('"', "'"))
    case 7:
      return Uint8Array.from({ length: 1 + draw.below(300) }, () => draw.below(256))
    case 8:
      return bytes(`\ufeff${valid}`)
    case 9:
      return bytes(valid.replace(/"([^"]{1,40})"(?=[,}\]])/, String.raw`"\ud800\u0000\udc00"`))
    case 10:
      return Buffer.concat([bytes(valid.slice(0, -1)), Uint8Array.of(0xff, 0xfe, 0xc0, 0x80), bytes(valid.slice(-1))])
    case 11:
      // As many values as fit into a body.
      return bytes(`{"messages":[${"{},".repeat(draw.oneOf([10, 1_000, 100_000, 300_000]))}{}]}`)
    case 12:
      return bytes(
        `{${Array.from({ length: draw.oneOf([10, 1_000, 40_000]) }, (_, index) => `"k${index}":0`).join(",")}}`,
      )
    case 13:
      return bytes(
        JSON.stringify({ query: draw.oneOf(["x", "é", " ", "x y "]).repeat(draw.oneOf([1_000, MEBIBYTE / 4])) }),
      )
    default:
      return bytes("x".repeat(draw.oneOf([MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE])))
  }
}

export const hostileMediaTypes = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "application/json;",
  "application/xml",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="',
  `multipart/form-data; boundary=${"b".repeat(300)}`,
  "multipart/mixed; boundary=x",
  "APPLICATION/JSON",
  "*/*",
  "application/json, text/plain",
] as const

/** Bytes in place of a form with this boundary. `valid` are the bytes of a valid one. */
export const hostileForm = (draw: Draw, boundary: string, valid: Buffer): Uint8Array => {
  const part = (head: string, content: string) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`
  const field = (name: string, content: string) => part(`Content-Disposition: form-data; name="${name}"`, content)
  const end = `--${boundary}--\r\n`
  switch (draw.below(9)) {
    case 0:
      return valid.subarray(0, draw.below(valid.length))
    case 1:
      return Buffer.from(field(draw.oneOf(hostileTexts).slice(0, 300), "x") + end)
    case 2:
      return Buffer.from(
        Array.from({ length: draw.oneOf([5, 100, 5_000]) }, (_, index) => field(`f${index}`, "x")).join("") + end,
      )
    case 3:
      return Buffer.from(field("chatbotId", "x".repeat(draw.oneOf([100, 100_000, MEBIBYTE]))) + end)
    case 4:
      return Buffer.from(
        part(
          `Content-Disposition: form-data; name="files"; filename="${draw.oneOf(hostileTexts).slice(0, 300)}"`,
          "x",
        ) + end,
      )
    case 5:
      return Buffer.from(part("X: y", "x") + part("", "") + end)
    case 6:
      return Buffer.from(part(`X-Long: ${"y".repeat(draw.oneOf([1_000, 20_000, 200_000]))}`, "x") + end)
    case 7:
      return Buffer.from(`--${boundary}`.repeat(draw.oneOf([1, 100, 10_000])))
    default:
      return Buffer.concat([valid, Buffer.from(draw.oneOf(hostileTexts))])
  }
}
