import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { operatorKey } from "../lib/ServerProcess.ts"
import { startServer } from "../lib/TestServer.ts"
import { mistakes, program } from "./ApiProgram.ts"
import { commandOf, packages, root, run } from "./Packages.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/*
 * Clients in TypeScript, generated from `/openapi.json`. Their types allow what the server accepts and answers, and the
 * compiler refuses everything else.
 */

const { client, url } = await startServer()
const directory = await sharedRun()(temporaryDirectory("client"))
await Bun.write(join(directory, "openapi.json"), (await client.get("/openapi.json")).text)
symlinkSync(join(packages, "node_modules"), join(directory, "node_modules"))

interface Program {
  readonly useEverything: (url: string, key: string, avatar: File) => Promise<ReadonlyArray<string>>
}

/** Compiles a file, or all files of a folder, with the strictness of this project or with that of most projects. */
const compile = async (include: string, strictness: "ours" | "usual" = "ours") => {
  await Bun.write(
    join(directory, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      // Clients run in browsers, too.
      compilerOptions: {
        lib: ["ESNext", "DOM", "DOM.Iterable"],
        types: [],
        exactOptionalPropertyTypes: strictness === "ours",
      },
      // Without it, the files that the project names would be compiled, too.
      files: [],
      include: [include],
    }),
  )
  return run(directory, join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", directory)
}

test("openapi-typescript generates types without warnings", async () => {
  const made = await run(directory, join(packages, "OpenApiTypes.mjs"), "openapi.json", "api.ts")
  expect(made).toEqual({ code: 0, said: "" })
  const types = await Bun.file(join(directory, "api.ts")).text()
  // Such types come from faults of the document: objects without fields, empty intersections and duplicate names.
  expect(types.match(/^(?!export).*Record<string, never>|& unknown|\b\w+_1\b/gm)).toBeNull()
})

test("a program that uses all 14 operations compiles and works", async () => {
  await Bun.write(join(directory, "program.ts"), program)
  expect(await compile("program.ts")).toEqual({ code: 0, said: "" })
  const { useEverything }: Program = await import(join(directory, "program.ts"))
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  )
  expect(await useEverything(url, operatorKey, new File([png], "face.png"))).toEqual([
    "create: harbour, local/extractive",
    "update: Ahoy!, string",
    "list: Harbour, null",
    "get: Knows the tides",
    "avatar: true",
    "widget: Ask us, 0",
    "voice: alloy, 0.5",
    "upload: tides.md, ready",
    "chat: stop, true, initial",
    "messages: 2, true",
    "query: OK, 1, true",
    "knowledge: Harbour",
    "replace: same chatbot",
    "delete: true",
    "a failure: 404, not_found",
    "a refusal: name",
  ])
})

test("every mistake of a program is a type error", async () => {
  await Bun.write(join(directory, "mistakes.ts"), mistakes)
  const { code, said } = await compile("mistakes.ts")
  expect(code).not.toBe(0)
  const lines = mistakes.split("\n").flatMap((line, index) => (line.startsWith("export") ? [index + 1] : []))
  const wrong = Array.from(said.matchAll(/^mistakes\.ts\((\d+),/gm), ([, line]) => Number(line))
  expect(Array.from(new Set(wrong))).toEqual(lines)
})

test("the client that @hey-api/openapi-ts generates compiles", async () => {
  const asked = ["--input", "openapi.json", "--output", "hey-api", "--client", "@hey-api/client-fetch"]
  const made = await run(directory, commandOf("openapi-ts"), ...asked)
  expect(made).toMatchObject({ code: 0 })
  expect(await compile("hey-api", "usual")).toEqual({ code: 0, said: "" })
})

test.each(["fetch", "zod"])("the %s client that orval generates compiles", async (kind) => {
  const asked = ["--input", "openapi.json", "--output", `orval-${kind}/client.ts`, "--client", kind]
  const made = await run(directory, commandOf("orval"), ...asked)
  expect(made).toMatchObject({ code: 0 })
  expect(await compile(`orval-${kind}`, "usual")).toEqual({ code: 0, said: "" })
})
