import { expect, test } from "bun:test"
import { longestWait } from "../../lib/EventLoop.ts"
import { startServer } from "../../lib/TestServer.ts"

const { client } = await startServer()

/** As many as a list shows at once, each with the longest prompt. */
const CHATBOTS = 1_000
const PROMPT_LENGTH = 32_000
const AT_ONCE = 20

/**
 * Milliseconds of the processor's time. The promise is 100, on a machine that is not slow; the test's own work counts.
 */
const LONGEST_WAIT = 250

test("a list of a thousand chatbots with the longest prompts, asked for twice, lets others in between", async () => {
  const prompt = "The heron breeds. ".repeat(PROMPT_LENGTH / 18)
  const own = await client.newOrganization()
  for (let made = 0; made < CHATBOTS; made += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => own.newChatbot({ slug: `c${made + index}`, settings: { prompt } })),
    )
  }
  // Not read as JSON by the test: that would keep the loop busy itself.
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
