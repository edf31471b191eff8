import { expect, test } from "bun:test"
import { gatewayAnswering, gatewayForms } from "../../lib/OddGateway.ts"
import { ask, streams, passage } from "../../lib/OddReplies.ts"

const cases = gatewayForms.map(
  ({ isStreamed, mode }) => [mode.name, isStreamed ? "a stream" : "one piece", mode, isStreamed] as const,
)

test.each(cases)("a gateway with %s, in %s, is understood", async (_name, _form, mode, isStreamed) => {
  for (const way of [{}, streams]) {
    const { replies, requests } = await ask(gatewayAnswering(mode, "At six.", isStreamed), {
      ...way,
      model: "claude-m",
      times: 2,
    })
    expect(replies.map(({ output }) => output)).toEqual(["At six.", "At six."])
    expect(replies[0]?.toolCalls).toMatchObject([{ args: { query: "tide" } }])
    expect(JSON.stringify(requests.at(-1))).toContain(passage.content)
    // What is refused is sent once, and neither in the rest of the reply nor in the next one.
    const isRefused = mode.refuses?.[0] ?? (() => false)
    expect(requests.filter(isRefused)).toHaveLength(mode.refuses === undefined ? 0 : 1)
    expect(requests).toHaveLength(mode.refuses === undefined ? 4 : 5)
    const thoughts = requests.filter((request) => JSON.stringify(request).includes("I search."))
    expect(thoughts.length > 0).toBe(!mode.name.includes("signature"))
  }
})
