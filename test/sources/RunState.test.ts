import { expect, test } from "bun:test"
import { ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
import { SourceId } from "../../src/domain/knowledge/Source.ts"
import { SourceRunId } from "../../src/domain/knowledge/SourceRun.ts"
import { RunState } from "../../src/sources/RunState.ts"

const id = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const stateOf = (max_pages: number) =>
  new RunState(
    {
      organization_id: OrganizationId.make(id),
      source_id: SourceId.make(id),
      chatbot_id: ChatbotId.make(id),
      kind: "website",
      config: { urls: ["https://docs.example/guide/"], include: [], exclude: [], depth: 10, max_pages, text: null },
      repeated: null,
      lease_id: id,
      attempts: 0,
      lapses: 0,
      given_up: 0,
    },
    { id: SourceRunId.make(id), only: null, is_confirmed: false, is_patient: true, requests: 0, bytes: 0 },
  )

/** The number of all that the maps and sets of an object hold. */
const sizeOf = (value: object): number =>
  Object.values(value).reduce((sum: number, part: unknown) => {
    if (part instanceof Map || part instanceof Set) return sum + part.size
    return sum + (part !== null && typeof part === "object" ? sizeOf(part) : 0)
  }, 0)

test("A run remembers no more addresses than its source may have pages, however many its pages link to", () => {
  const state = stateOf(10)
  const link = (count: number) => {
    for (let number = 0; number < count; number++) {
      state.judge(`https://docs.example/guide/${number}`, 1)
      state.judge(`https://docs.example/other/${number}?page=${number}`, 1)
      state.judge(`https://elsewhere.example/${number}`, 1)
    }
  }
  link(2_000)
  const size = sizeOf(state)
  link(20_000)
  expect(sizeOf(state)).toBe(size)
})
