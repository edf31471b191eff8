import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { splitStatements } from "../../../src/storage/sql/SqlScript.ts"

/** Texts that would end a statement, or open a comment or a quotation, outside of one. */
const trap = fc
  .array(fc.constantFrom(";", "--", "/*", "*/", "'", '"', "$$", "$a$", "\\", "\n", "é", "x", " ", "$1"), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""))

const word = fc.constantFrom("select", "a$b$c", "e", "type", "$1", "(", ")", "42", "::text", "é$$é")
const piece = fc.oneof(
  word,
  trap.map((text) => `'${text.replaceAll("'", "''")}'`),
  trap.map((text) => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`),
  trap.map((text) => `"${text.replaceAll('"', '""')}"`),
  trap.map((text) => `$body$${text}$body$`),
  trap.map((text) => `$$${text.replaceAll("$", "")}$$`),
  trap.map((text) => `-- ${text.replaceAll("\n", "")}\n`),
  trap.map((text) => `/* ${text.replaceAll("/", "").replaceAll("*", "")} /* inner; */ */`),
)
/** A statement, which begins and ends with a word, because blanks and comments around it are not a part of it. */
const statement = fc
  .tuple(word, fc.array(piece, { maxLength: 6 }), word)
  .map(([first, middle, last]) => [first, ...middle, last].join(" "))
const between = fc.constantFrom(";", " ;\n", "; -- a comment; or two\n", ";/* one; /* in; */ another */", ";;\n;")

/**
 * The length of the block comment at the start of a text; comments nest, and one that is not closed runs to the end.
 */
const commentLength = (text: string): number => {
  let depth = 0
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1
    if (depth === 0) return index + 2
  }
  return text.length
}

/** Whether a text has nothing but blanks, comments and semicolons. */
const isEmpty = (text: string): boolean => {
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    const length = rest.startsWith("/*") ? commentLength(rest) : (/^(?:[\s;]+|--[^\n]*)/.exec(rest)?.[0].length ?? 0)
    if (length === 0) return false
    at += length
  }
  return true
}

/**
 * Whether these statements, in their order and nothing between, are the script; the same words may stand in comments
 * too.
 */
const areAllOf = (script: string, [first, ...rest]: ReadonlyArray<string>): boolean => {
  if (first === undefined) return isEmpty(script)
  for (let at = script.indexOf(first); at >= 0; at = script.indexOf(first, at + 1)) {
    if (isEmpty(script.slice(0, at)) && areAllOf(script.slice(at + first.length), rest)) return true
  }
  return false
}

describe("splitStatements", () => {
  test("returns every statement as written, and nothing else", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(statement, between)), (parts) => {
        const script = `-- head; comment\n${parts.map(([text, gap]) => text + gap).join("")}`
        expect(splitStatements(script)).toEqual(parts.map(([text]) => text))
      }),
      { numRuns: 500 },
    ))

  test("ends for any text, and omits only blanks, comments and semicolons", () =>
    fc.assert(
      fc.property(trap, (text) => {
        const found = splitStatements(text)
        for (const one of found) expect(one).toMatch(/^[^\s;]/)
        expect({ text, found, isAll: areAllOf(text, found) }).toEqual({ text, found, isAll: true })
      }),
      { numRuns: 2_000 },
    ))

  test("needs no semicolon at the end, and finds no statement in an empty script", () => {
    expect(splitStatements("select 1; select 2")).toEqual(["select 1", "select 2"])
    expect(splitStatements("select 1 /* not closed; select 2")).toEqual(["select 1"])
    expect(splitStatements(" -- nothing\n/* here; */ ; ")).toEqual([])
  })

  test("keeps function bodies whole", () => {
    const body = "create function f() returns int language plpgsql as $fn$ begin\n  perform 1; return $$;$$; end $fn$"
    expect(splitStatements(`${body};\nselect f();`)).toEqual([body, "select f()"])
  })
})
