import { expect } from "bun:test"
import { uiMessageChunkSchema } from "ai"

/**
 * Reads the events of an AI SDK UI message stream, and checks each by the protocol's own schema. Successive deltas of
 * one text are joined, because their sizes depend on the network.
 */
export const uiEvents = async (text: string) => {
  const frames = text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"))
  expect(frames.at(-1)).toBe("data: [DONE]")
  const events = frames.slice(0, -1).map((frame) => {
    expect(frame).toStartWith("data: ")
    return JSON.parse(frame.slice("data: ".length))
  })
  const schema = uiMessageChunkSchema()
  for (const event of events) expect(await schema.validate?.(event)).toMatchObject({ success: true })
  return events.reduce<typeof events>((whole, event) => {
    const last = whole.at(-1)
    if (event.type !== "text-delta" || last?.type !== "text-delta" || last.id !== event.id) return [...whole, event]
    return [...whole.slice(0, -1), { ...event, delta: last.delta + event.delta }]
  }, [])
}
