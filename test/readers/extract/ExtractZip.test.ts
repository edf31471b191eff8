import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Unreadable } from "../../../src/readers/extract/Extraction.ts"
import { Zip } from "../../../src/readers/extract/office/Zip.ts"
import { type ZipEntry, zipOf } from "../../lib/files/ZipFile.ts"

const codeOf = (read: () => unknown): string => {
  try {
    read()
    return "read"
  } catch (cause) {
    return cause instanceof Unreadable ? cause.code : String(cause)
  }
}

const readAll = (bytes: Uint8Array) => {
  const zip = new Zip(bytes)
  return Array.from(zip.names, (name) => [name, Buffer.from(zip.read(name) ?? []).toString()] as const)
}

describe("a zip archive", () => {
  const entry = fc.record({ name: fc.stringMatching(/^[a-z/]{1,20}$/), content: fc.string(), isLong: fc.boolean() })

  test("returns the content of its files, with sizes of 32 and of 64 bits", () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ name }) => name }), (entries: ReadonlyArray<ZipEntry>) => {
        expect(readAll(zipOf(entries))).toEqual(entries.map(({ name, content }) => [name, String(content)]))
      }),
    )
  })

  test("is refused when it is cut or changed, and never read wrongly", () => {
    const content = "<a>some text, some text</a>"
    const whole = zipOf([{ name: "a.xml", content }])
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = whole.map((byte, index) => (index === at ? byte ^ change : byte))
        const outcome = codeOf(() => {
          for (const [, text] of readAll(changed)) expect(text).toBe(content)
        })
        expect(["read", "corrupt_document", "password_protected", "too_large_when_extracted"]).toContain(outcome)
        expect(codeOf(() => readAll(whole.slice(0, at)))).toBe("corrupt_document")
      }),
    )
  })
})
