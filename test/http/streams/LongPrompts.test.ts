import { expect, test } from "bun:test"
import { longestWait } from "../../lib/EventLoop.ts"
import { startServer } from "../../lib/TestServer.ts"

const { client } = await startServer()

/** As many chatbots as one list shows, each with the longest prompt. */
const CHATBOTS = 1_000
const PROMPT_LENGTH = 32_000
const AT_ONCE = 20

/** The longest wait in milliseconds of processor time: 100 are promised on a fast machine; the test itself counts. */
const LONGEST_WAIT = 250

test("two lists of a thousand chatbots with the longest prompts do not block other requests", async () => {
  const prompt = "The heron breeds. ".repeat(PROMPT_LENGTH / 18)
  const own = await client.newOrganization()
  for (let made = 0; made < CHATBOTS; made += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => own.newChatbot({ slug: `c${made + index}`, settings: { prompt } })),
    )
  }
  // The test does not parse the list, since that would block the event loop itself.
  const list = async () => {
    const headers = { "x-api-key": own.key ?? "" }
    const reply = await fetch(`${own.url}/api/external/chatbots`, { headers })
    expect(reply.status).toBe(200)
    return (await reply.arrayBuffer()).byteLength
  }
  const [sizes, wait] = await longestWait(() => Promise.all([list(), list()]))
  for (const size of sizes) expect(size).toBeGreaterThan(CHATBOTS * prompt.length)
  expect(wait.computed).toBeLessThan(LONGEST_WAIT)
})
