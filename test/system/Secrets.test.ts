import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Secrets, type Sealed } from "../../src/system/Secrets.ts"
import { keyOf, secretsWith } from "../lib/Keys.ts"

const [old, current] = [keyOf(1), keyOf(2)]
const using = <A, E>(keys: ReadonlyArray<Uint8Array>, use: (secrets: Secrets["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(Secrets.use(use), secretsWith(...keys)))

const seal = (keys: ReadonlyArray<Uint8Array>, text: string, place: ReadonlyArray<string> = ["here"]) =>
  using(keys, (secrets) => Effect.flatMap(secrets.seal(text, place), Effect.fromNullishOr))
const open = (keys: ReadonlyArray<Uint8Array>, sealed: Sealed, place: ReadonlyArray<string> = ["here"]) =>
  using(keys, (secrets) => Effect.result(secrets.open(sealed, place)))
const unreadable = (key: string, why: string) => ({ _tag: "Failure", failure: { _tag: "SecretUnreadable", key, why } })

describe("a secret", () => {
  test("of any text, for any place, comes back there and nowhere else", () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        fc.array(fc.string(), { maxLength: 4 }),
        fc.array(fc.string(), { maxLength: 4 }),
        async (text, place, other) => {
          const sealed = await seal([current], text, place)
          expect(await open([current], sealed, place)).toMatchObject({ _tag: "Success", success: text })
          if (JSON.stringify(place) === JSON.stringify(other)) return
          expect(await open([current], sealed, other)).toMatchObject(unreadable(sealed.key, "changed"))
        },
      ),
      { numRuns: 50 },
    ))

  test("is never sealed twice alike, and shows nothing of text or key", async () => {
    const sealed = await Promise.all(Array.from({ length: 50 }, () => seal([current], "hunter2")))
    const texts = sealed.map(({ bytes }) => Buffer.from(bytes).toString("latin1"))
    expect(new Set(texts).size).toBe(50)
    expect(new Set(texts.map((text) => text.slice(0, 12))).size).toBe(50)
    for (const text of texts) expect(text).not.toContain("hunter2")
    expect(new Set(sealed.map(({ key }) => key)).size).toBe(1)
    expect(sealed[0]?.key).toMatch(/^[0-9a-f]{12}$/)
    expect((await seal([old], "hunter2")).key).not.toBe(sealed[0]?.key ?? "")
  })

  test("of an older key is read as long as that is there, wherever it stands", async () => {
    const sealed = await seal([old], "hunter2")
    for (const keys of [[old], [current, old], [keyOf(3), current, old]]) {
      expect(await open(keys, sealed)).toMatchObject({ _tag: "Success", success: "hunter2" })
    }
    for (const keys of [[current], []]) {
      expect(await open(keys, sealed)).toMatchObject(unreadable(sealed.key, "unknown key"))
    }
    expect((await seal([current, old], "hunter2")).key).toBe((await seal([current], "")).key)
  })

  test("of which a bit is another, or a part is missing, is not read", async () => {
    const { bytes, key } = await seal([current], "hunter2")
    for (let at = 0; at < bytes.length; at++) {
      const other = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte))
      expect(await open([current], { key, bytes: other })).toMatchObject(unreadable(key, "changed"))
      expect(await open([current], { key, bytes: bytes.subarray(0, at) })).toMatchObject(unreadable(key, "changed"))
    }
  })

  test("without a key is not sealed", async () => {
    expect(await using([], ({ key, seal }) => Effect.map(seal("hunter2", []), (sealed) => [key, sealed]))).toEqual([
      undefined,
      undefined,
    ])
  })
})
