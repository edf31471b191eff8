import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { fakeKey } from "../lib/FakeAnthropic.ts"
import { fakeProvider } from "../lib/FakeProvider.ts"
import { passages, scenarios } from "./Scenarios.ts"

/*
 * Generates `steps.json`: the `steps` that the AI SDK's `generateText` returns for the same conversations with the same
 * fake provider, at the version of the SDK whose shape Parley promises. Run it with `bun test/golden/main.ts`; it
 * installs that version into a temporary directory.
 */

const packages = ["ai@4.0.38", "@ai-sdk/anthropic@1.0.8", "zod@3.25.76"]

const directory = await mkdtemp(join(tmpdir(), "parley-golden-"))
try {
  await writeFile(join(directory, "package.json"), "{}")
  const install = Bun.spawn([process.execPath, "add", "--exact", ...packages], { cwd: directory, stdout: "ignore" })
  if ((await install.exited) !== 0) throw new Error("The packages could not be installed")
  const { generateText, jsonSchema, tool } = await import(Bun.resolveSync("ai", directory))
  const { createAnthropic } = await import(Bun.resolveSync("@ai-sdk/anthropic", directory))

  const golden: Record<string, unknown> = {}
  for (const [name, answers] of Object.entries(scenarios)) {
    const program = Effect.gen(function* () {
      const fake = yield* fakeProvider(...answers)
      return yield* Effect.promise(async () => {
        const anthropic = createAnthropic({
          apiKey: fakeKey,
          baseURL: `${fake.url}/v1`,
          headers: { authorization: `Bearer ${fakeKey}` },
          // That version sets a temperature, which the API of current models refuses.
          fetch: (url: string, init: { body: string }) => {
            const { temperature: _, ...body } = JSON.parse(init.body)
            return fetch(url, { ...init, body: JSON.stringify(body) })
          },
        })
        const result = await generateText({
          // That version reports the tokens of the cache only with this option.
          model: anthropic("claude-sonnet-5-5", { cacheControl: true }),
          prompt: "How long do refunds take?",
          maxSteps: 6,
          maxRetries: 0,
          tools: {
            searchKnowledgeBase: tool({
              description: "Searches.",
              parameters: jsonSchema({
                type: "object",
                properties: { query: { type: "string" } },
                required: ["query"],
              }),
              execute: async () => passages,
            }),
          },
        })
        return result.steps
      })
    })
    golden[name] = await Effect.runPromise(Effect.scoped(program))
  }
  await writeFile(join(import.meta.dir, "steps.json"), `${JSON.stringify(golden, undefined, 2)}\n`)
} finally {
  await rm(directory, { recursive: true })
}
