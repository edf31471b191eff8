import { expect, test } from "bun:test"
import { ListBytes } from "../../../src/http/chatbots/Chatbots.ts"
import { repeatedWait } from "../../lib/EventLoop.ts"
import { startServer } from "../../lib/TestServer.ts"

const { client } = await startServer()

/** As many chatbots as one list may show, each with the longest prompt. */
const CHATBOTS = 1_000
const PROMPT_LENGTH = 32_000
const AT_ONCE = 20

/** The longest wait in milliseconds of processor time: 100 are promised on a fast machine; the test itself counts. */
const LONGEST_WAIT = 250

test("two lists of a thousand chatbots with the longest prompts come in pages of some megabytes, and do not block other requests", async () => {
  const prompt = "The heron breeds. ".repeat(PROMPT_LENGTH / 18)
  const own = await client.newOrganization()
  for (let made = 0; made < CHATBOTS; made += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => own.newChatbot({ slug: `c${made + index}`, settings: { prompt } })),
    )
  }
  /** The sizes of the pages. The test does not parse them, since that would block the event loop itself. */
  const list = async () => {
    const headers = { "x-api-key": own.key ?? "" }
    const sizes: Array<number> = []
    for (let path: string | undefined = "/api/external/chatbots"; path !== undefined;) {
      const reply: Response = await fetch(`${own.url}${path}`, { headers })
      expect(reply.status).toBe(200)
      sizes.push((await reply.arrayBuffer()).byteLength)
      path = /^<([^>]+)>; rel="next"$/.exec(reply.headers.get("link") ?? "")?.[1]
    }
    return sizes
  }
  const [lists, wait] = await repeatedWait(LONGEST_WAIT, () => Promise.all([list(), list()]))
  for (const sizes of lists) {
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(CHATBOTS * prompt.length)
    expect(Math.max(...sizes)).toBeLessThan(ListBytes.defaultValue() + 50 * prompt.length)
  }
  expect(wait).toBeLessThan(LONGEST_WAIT)
})
