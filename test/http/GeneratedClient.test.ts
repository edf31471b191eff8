import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import { mistakes, program } from "../lib/ApiProgram.ts"
import { operatorKey } from "../lib/ServerProcess.ts"
import { temporaryDirectory } from "../lib/TestDatabase.ts"
import { startServer } from "../lib/TestServer.ts"

/*
 * A client in TypeScript, generated from `/openapi.json` by `openapi-typescript`: what it may send and read is what the
 * server takes and answers, and the compiler refuses the rest.
 */

const root = join(import.meta.dir, "..", "..")
const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const { client, url } = await startServer()
const directory = await Effect.runPromise(Scope.provide(temporaryDirectory("client"), scope))

interface Program {
  readonly useEverything: (url: string, key: string, avatar: File) => Promise<ReadonlyArray<string>>
}

const run = async (...command: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, ...command], { cwd: directory, stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, said: stdout + stderr }
}

/** What the compiler says of a file: numbers of lines, from 1. */
const compile = async (file: string, text: string) => {
  await Bun.write(join(directory, file), text)
  await Bun.write(
    join(directory, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions: { types: [] }, include: [file] }),
  )
  return run(join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", directory)
}

test("a client can be generated without a complaint", async () => {
  // The packages of this project are those of the program.
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  await Bun.write(join(directory, "openapi.json"), (await client.get("/openapi.json")).text)
  expect(await run(join(root, "test/lib/OpenApiTypes.ts"), "openapi.json", "api.ts")).toEqual({ code: 0, said: "" })
  const types = await Bun.file(join(directory, "api.ts")).text()
  // Objects that may hold nothing, types that say nothing and names that mean two things are the document's fault.
  expect(types.match(/^(?!export).*Record<string, never>|& unknown|\b\w+_1\b/gm)).toBeNull()
})

test("a program that uses all 14 operations compiles, and does what it says", async () => {
  expect(await compile("program.ts", program)).toEqual({ code: 0, said: "" })
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

test("a program that is mistaken does not compile, wherever it is", async () => {
  const { code, said } = await compile("mistakes.ts", mistakes)
  expect(code).not.toBe(0)
  const lines = mistakes.split("\n").flatMap((line, index) => (line.startsWith("export") ? [index + 1] : []))
  const wrong = Array.from(said.matchAll(/^mistakes\.ts\((\d+),/gm), ([, line]) => Number(line))
  expect(Array.from(new Set(wrong))).toEqual(lines)
})
