import { describe, expect, test } from "bun:test"
import { sharedServer } from "../lib/TestServer.ts"

/*
 * Odd questions, and odd documents, to a chatbot without a language model: each is replied to with a sentence that makes
 * sense.
 */
const { client } = await sharedServer()

const extractive = { settings: { model: "local/extractive" } }

/** A chatbot that has learned these files. */
const knowing = async (files: Readonly<Record<string, string>>) => {
  const { id } = await client.newChatbot(extractive)
  if (Object.keys(files).length > 0) await client.learn(id, files)
  return (content: string, sessionToken?: string) =>
    client.chat(id, content, sessionToken === undefined ? {} : { sessionToken })
}

const nothing = "I found nothing about that in the documents."

/** Whether a reply is an answer with a source, or one of the sentences that the chatbot says by itself. */
const makesSense = ({ output, sources }: { readonly output: string; readonly sources?: ReadonlyArray<unknown> }) =>
  output.length < 3_000 && (sources?.length ? output.length > 10 : /^(?:I |Ask me|Hello)[^{}]+[.?]$/s.test(output))

const documents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  "one sentence": { "one.txt": "The lighthouse of Morlaix was built in 1822." },
  "only tables": {
    "prices.csv": "Plan,Price\nBasic,10 EUR\nTeam,50 EUR\n",
    "days.md": "| Day | Hours |\n| --- | --- |\n| Mon | 9 to 5 |\n| Sun | closed |\n",
  },
  "only code": { "run.md": "```sh\nparley keys create --name ops\nparley serve --port 3000\n```\n" },
  "only links": {
    "links.md":
      "- [Opening hours](https://example.com/hours)\n- [Tickets](https://example.com/tickets)\n- https://example.com\n",
  },
}

const long = "Please tell me what the opening hours of the old lighthouse near the harbour are in winter. "
  .repeat(30)
  .slice(0, 2_000)

describe.each(Object.entries(documents))("with documents of %s", (_, files) => {
  test("every question gets a reply that makes sense", async () => {
    const ask = await knowing(files)
    const questions = [
      long,
      "🍕",
      "?",
      "Wann?",
      "When was it built?",
      "How much is the Team plan?",
      "ما هذا؟",
      "x".repeat(2_000),
    ]
    for (const question of questions.slice(0, 3)) {
      const reply = await ask(question)
      expect([question, reply.output, makesSense(reply)]).toEqual([question, reply.output, true])
    }
    for (const question of questions.slice(3)) expect((await ask(question)).output.length).toBeGreaterThan(5)
  })
})

test("one sentence is found by a question, and by no other", async () => {
  const ask = await knowing(documents["one sentence"] ?? {})
  expect((await ask("When was the lighthouse of Morlaix built?")).output).toContain("built in 1822")
  expect((await ask("How much is a ticket?")).output).toBe(nothing)
  expect((await ask("Πότε ανοίγει το μουσείο;")).output).toBe("Δεν βρήκα τίποτα σχετικό στα έγγραφα.")
})

test("an empty knowledge base is said to be empty, until there is a document", async () => {
  const { id } = await client.newChatbot(extractive)
  const asked = async (content: string) => (await client.chat(id, content)).output
  expect(await asked("When do you open?")).toBe("I have no readable documents yet, so I cannot answer questions.")
  expect(await asked("Which documents do you have?")).toEndWith(
    "I have no readable documents yet, so I cannot answer questions.",
  )
  await client.learn(id, { "one.txt": "We open at nine." })
  expect(await asked("What is the capital of Peru?")).toBe(nothing)
  expect(await asked("Which documents do you have?")).toEndWith("I know these documents:\n- one")
})

test("fifty follow-ups in a row are answered about the same subject, and a new subject ends it", async () => {
  const ask = await knowing({
    "prices.md":
      "# Prices\n\nA ticket for adults costs 12 EUR.\n\nA ticket for students costs 7 EUR.\n\nA ticket for children costs 3 EUR.\n",
    "parking.md": "# Parking\n\nThe car park is behind the station.\n",
  })
  const prices = { students: "7 EUR", children: "3 EUR", adults: "12 EUR" }
  const session = crypto.randomUUID()
  expect((await ask("How much is a ticket for adults?", session)).output).toContain("12 EUR")
  for (let turn = 0; turn < 50; turn++) {
    const [who, price] = Object.entries(prices)[turn % 3] ?? ["", ""]
    const { output, tool_calls } = await ask(`and for ${who}?`, session)
    expect([turn, output]).toEqual([turn, expect.stringContaining(price)])
    expect(tool_calls).toMatchObject([{ args: { query: `How much is a ticket for ${who}?` } }])
  }
  const { output, tool_calls } = await ask("Where is the car park?", session)
  expect(output).toContain("behind the station")
  expect(tool_calls).toMatchObject([{ args: { query: "Where is the car park?" } }])
})
