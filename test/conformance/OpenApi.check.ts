import { join } from "node:path"
import { expect, test } from "bun:test"
import { startServer } from "../lib/TestServer.ts"
import { commandOf, packages, run } from "./Packages.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/* The usual linters find no error and no warning in `/openapi.json`. */

const { client } = await startServer()
const document = join(await sharedRun()(temporaryDirectory("lint")), "openapi.json")
await Bun.write(document, (await client.withKey(undefined).get("/openapi.json")).text)

test("redocly finds nothing with its recommended rules", async () => {
  const { code, said } = await run(packages, commandOf("redocly"), "lint", document, "--format=checkstyle")
  expect(said.match(/<error .*/g)).toBeNull()
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("valid") })
})

test("spectral finds nothing with its rules for OpenAPI", async () => {
  const asked = ["lint", document, "--ruleset", join(packages, ".spectral.yaml"), "--fail-severity=hint"]
  const { code, said } = await run(packages, commandOf("spectral"), ...asked)
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining("No results") })
})
