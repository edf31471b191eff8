import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { Cause, Effect, Exit, Schema } from "effect"
import { decodeRows, TimestampColumn } from "../../../src/storage/Rows.ts"

/** A template or a call that asserts the type of what the database returns, in place of decoding it. */
const ASSERTION = /(?:\b(?:sql|system|tenant)|\.unsafe|\.execute\w*)<|SqlSchema\.|Statement\.Statement<(?!object>)/g

const root = join(import.meta.dir, "../../../src")

describe("the rows of statements", () => {
  test("are decoded, nowhere asserted", () => {
    const found = Array.from(new Glob("**/*.ts").scanSync(root)).flatMap((file) =>
      Array.from(readFileSync(join(root, file), "utf8").matchAll(ASSERTION), (match) => `${file}: ${match[0]}`),
    )
    expect(found).toEqual([])
  })

  test("of another shape are a defect", async () => {
    const decode = decodeRows(Schema.Struct({ name: Schema.String, at: TimestampColumn }))
    const at = new Date(0)
    expect(await Effect.runPromise(decode(Effect.succeed([{ name: "one", at, more: 1 }])))).toEqual([
      { name: "one", at: TimestampColumn.make("1970-01-01T00:00:00.000+00:00") },
    ])
    const exit = await Effect.runPromiseExit(
      decode(
        Effect.succeed([
          { name: "one", at },
          { name: null, at },
        ]),
      ),
    )
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  })
})
