import { paced, startModel } from "../../browser/lib/Model.ts"
import { startServer } from "../../browser/lib/Process.ts"
import { operatorKey } from "../../lib/Spawn.ts"
import { quantile } from "../lib/Quantiles.ts"

const ROUNDS = 30
const text = "The ferry to the islands sails at noon. It comes back at 18:30. A crossing costs four crowns for adults. "
const documents = Array.from({ length: 10 }, (_, at) => [
  `ferry-${at}.md`,
  `# Ferry ${at}\n\n${text.repeat(4)}Line ${at} has ${at + 40} seats, and the ferry of line ${at} is blue.`,
])

/** Milliseconds from a streamed chat's request to its first and to its last word, with a model of fixed pace. */
export const measureTimes = async (): Promise<void> => {
  const model = await startModel()
  const server = await startServer(model.url)
  const { api, url } = server
  model.answers(() => paced(text.repeat(6), 24, 10))
  for (const grounding of ["off", "mark", "strict"]) {
    const { id } = await api.newChatbot({ settings: { isToolEnabled: false, grounding } })
    await api.learn(id, Object.fromEntries(documents))
    const firsts: Array<number> = []
    const lasts: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now()
      const response = await fetch(`${url}/api/external/chatbot/${id}/chat?stream=true`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${operatorKey}` },
        body: JSON.stringify({ messages: [{ role: "user", content: "When does the ferry sail?" }] }),
      })
      let first: number | undefined
      const decoder = new TextDecoder()
      for await (const piece of response.body ?? []) {
        if (decoder.decode(piece).includes("text-delta")) first ??= performance.now() - begin
      }
      // The first rounds compile what the others run.
      if (round < ROUNDS / 3) continue
      firsts.push(first ?? Number.NaN)
      lasts.push(performance.now() - begin)
    }
    const shown = [firsts, lasts].map((times) => `${quantile(times, 0.5).toFixed(0)} ms`)
    console.log(`${grounding.padEnd(7)} first word ${shown[0]}, end ${shown[1]} (p50)`)
  }
  await server.stop()
  model.stop()
}
