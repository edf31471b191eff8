import { expect, test } from "bun:test"
import { readDocument } from "../../lib/Defaults.ts"
import { madeFiles } from "../../lib/files/MadeFiles.ts"
import { wordsFound } from "../../lib/files/ScanTexts.ts"

test.each(madeFiles().map((file) => [file.format, file] as const))(
  "every word of a file is found: %s",
  async (format, { bytes, expected }) => {
    const { text, title } = await readDocument({ format, name: `file.${format}`, bytes })
    expect(wordsFound(expected, `${title} ${text}`)).toBe(1)
  },
)
