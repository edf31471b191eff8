import { describe, expect, test } from "bun:test"
import { problem } from "../lib/Client.ts"
import { answerTo, attempts, faults } from "../lib/Faults.ts"
import { startServer } from "../lib/TestServer.ts"

/** How often each case is run: once, unless somebody wants to be sure. */
const runs = Number(process.env["FAULT_RUNS"] ?? 1)

const settings = { PROVIDER_ATTEMPTS: String(attempts), PROVIDER_ANSWER_LIMIT: "1MiB", CIRCUIT_FAILURES: "1000" }
const patient = await startServer(settings)
/** For faults that only the deadline ends. */
const impatient = await startServer({ ...settings, PROVIDER_REPLY_TIMEOUT: "200ms" })

describe.each(["claude-sonnet-5-5", "openai/test-1"])("a chat with %s", (model) => {
  test.each(faults.map((fault) => [fault.name, fault] as const))(
    "whose provider fails by %s ends in time, and loses no message",
    async (_, fault) => {
      const { client, provider } = fault.endsBy === undefined ? patient : impatient
      const { id } = await client.newChatbot({ settings: { model } })
      for (let run = 0; run < runs; run++) {
        await provider.answers(fault.answer)
        const session = `${fault.name} ${run}`
        const response = await client.post(`/api/external/chatbot/${id}/chat`, {
          json: { sessionToken: session, messages: [{ role: "user", content: "Hello?" }] },
        })
        const { detail } = problem(response, ...answerTo[fault.whole.tag])
        expect(detail).not.toContain("internal words")
        if (fault.endsBy === undefined) expect(provider.requests()).toHaveLength(fault.whole.calls)
        const said = (await client.messages(id, session)).map(
          ({ content, sender_type }) => `${sender_type}: ${content}`,
        )
        expect(said).toEqual(["user: Hello?"])
      }
    },
  )
})
