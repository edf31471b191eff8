import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { errorsPage } from "../lib/docs/ErrorsPage.ts"

test("docs/errors.md says of every failure what the code declares", () => {
  expect(readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")).toBe(errorsPage())
})
