import { join } from "node:path"
import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer, Schema } from "effect"
import { ChatbotTool } from "../../src/domain/chatbot/ChatbotTool.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { ToolHeaders } from "../../src/storage/tools/ToolHeaders.ts"
import { Client, problem, read, until } from "../lib/Client.ts"
import { startEndpoint } from "../lib/Endpoint.ts"
import { fakeKey, message, says } from "../lib/FakeAnthropic.ts"
import { keyOf, secretsWith } from "../lib/Keys.ts"
import { parley } from "../lib/Parley.ts"
import { provider } from "../lib/Provider.ts"
import { operatorKey, serverProcess, settingsFor } from "../lib/ServerProcess.ts"
import { fresh, layerOf } from "../lib/TestDatabase.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { testTimeout } from "../lib/TestServer.ts"

/*
 * A tool's secrets while servers start with other encryption keys, as the processes show them that have the keys as
 * settings. Which key encrypts what and what the doctor says is in `test/storage/tools/ToolHeaders.test.ts`.
 */

// The test starts three servers, one after the other.
setDefaultTimeout(3 * testTimeout)

const run = sharedRun()

const [first, second, third] = [1, 2, 3].map((byte) => Buffer.from(keyOf(byte)).toString("base64"))
const secret = "s3cr3t-of-the-operator"
const endpoint = startEndpoint()
const anthropic = await run(provider)
const database = await run(fresh)
const settings = {
  ...(await run(settingsFor(database))),
  ANTHROPIC_API_KEY: fakeKey,
  ANTHROPIC_BASE_URL: anthropic.url,
  TOOL_PRIVATE_NETWORKS: "127.0.0.1",
}
const kept = layerOf(
  database.kind === "embedded" ? { ...database, directory: join(settings.DATA_DIR, "database") } : database,
)

const settingsWith = (...keys: ReadonlyArray<string | undefined>) => ({ ...settings, SECRETS_KEY: keys.join(",") })
const SEALED = "Headers of tools are encrypted"

/** Runs a server with these encryption keys while it is used, and checks that it never logs the secret. */
const serving = async (keys: ReadonlyArray<string | undefined>, use: (client: Client) => Promise<void>, says = "") => {
  const server = await run(serverProcess(settingsWith(...keys)))
  await use(new Client(await server.listening, operatorKey))
  await until(server.stdout, (said) => said.includes(says))
  server.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(server.stdout() + server.stderr()).not.toContain("s3cr3t")
  return server.stdout()
}

/** What the command `doctor` says of secrets, and its exit code. */
const doctor = async (...keys: ReadonlyArray<string | undefined>) => {
  const { code, out } = await parley(settingsWith(...keys), "doctor")
  expect(out).not.toContain("s3cr3t")
  return { code, lines: out.split("\n").filter((line) => line.includes("headers of")) }
}

/** While no server has the database. */
const inDatabase = <A>(query: Effect.Effect<A, unknown, Layer.Success<typeof kept>>) =>
  Effect.runPromise(Effect.provide(query, kept))

/** The stored tools. */
const rows = Effect.map(
  SystemSql.use((sql) => sql<{ row: string }>`select to_jsonb(t)::text as row from chatbot_tools t`),
  (tools) => tools.map(({ row }) => row).join("\n"),
)

let bot = ""
let tool = ""
const path = () => `/api/external/chatbot/${bot}/tools/${tool}`
const OneTool = Schema.Struct({ tool: ChatbotTool })

/** Runs a chat whose model calls the tool. Returns the tool's result and the headers that the endpoint received. */
const call = async (client: Client) => {
  endpoint.answers(() => Response.json({ state: "sent" }))
  await anthropic.answers(message([{ type: "tool_use", id: "t", name: "order", input: {} }], "tool_use"), says("Done."))
  const { output, tool_results } = await client.chat(bot, "Where is it?")
  expect(output).toBe("Done.")
  const sent = endpoint.asked.map(({ headers }) => headers.get("authorization"))
  return { results: tool_results.map(({ result }) => result), sent }
}
const works = { results: [{ state: "sent" }], sent: [secret] }

test("headers of tools are encrypted once there is a key, move to the next key, and are lost only with the last", async () => {
  await serving([], async (client) => {
    bot = (await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })).id
    const made = await client.post(`/api/external/chatbot/${bot}/tools`, {
      json: {
        name: "order",
        description: "Tells where an order is.",
        input_schema: { type: "object", properties: {} },
        url: `${endpoint.url}/order`,
        headers: { authorization: secret },
      },
    })
    tool = read(OneTool, made).tool.id
    expect(await call(client)).toEqual(works)
  })
  expect(await inDatabase(rows)).toContain(secret)

  // As a server with the first key would leave them.
  const sealing = ToolHeaders.use(({ sealAll }) => sealAll)
  const sealed = Effect.provide(sealing, Layer.provide(ToolHeaders.layer, secretsWith(keyOf(1))))
  expect(await inDatabase(sealed)).toBe(1)
  expect(await inDatabase(rows)).not.toContain("s3cr3t")
  await serving([second, first], async (client) => expect(await call(client)).toEqual(works), SEALED)
  expect(await inDatabase(rows)).not.toContain("s3cr3t")
  expect(await doctor(second)).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^ok +secrets +headers of 1 tool encrypted by key/)],
  })
  expect(await doctor(third)).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(/^wrong +secrets +headers of 1 tool cannot be decrypted: key \w+ is not in SECRETS_KEY/),
    ],
  })

  const log = await serving([third], async (client) => {
    const { sent, results } = await call(client)
    expect(sent).toEqual([])
    expect(results).toEqual([{ error: "The tool is out of order until its operator has set it up again." }])
    // The tool is shown as before, and can be changed when the lost values are sent again.
    const before = read(OneTool, await client.get(path())).tool
    expect(before.headers).toEqual({ authorization: null })
    const refused = problem(await client.patch(path(), { json: { description: "New" } }), 409, "conflict")
    expect(refused.detail).toContain("give authorization anew")
    expect(read(OneTool, await client.get(path())).tool).toEqual(before)
    const headers = { authorization: secret }
    expect((await client.patch(path(), { json: { description: "New", headers } })).status).toBe(200)
    expect(await call(client)).toEqual(works)
  })
  expect(log).toContain("The headers of a tool cannot be decrypted")
  expect(await inDatabase(rows)).not.toContain("s3cr3t")
})
