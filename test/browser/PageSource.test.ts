import { describe, expect } from "bun:test"
import { inspect, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

const { server, site, visit } = await startSuite()

const ferry = `<title>The ferry</title><main><h1>The ferry</h1>
  <p>The ferry to the islands sails at noon. Bring your own bread, and be there in time.</p></main>`
const harbour = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) =>
    url.endsWith("/ferry")
      ? new Response(ferry, { headers: { "content-type": "text/html" } })
      : new Response(null, { status: 404 }),
})

describe("a visitor", () => {
  visit("finds a link to the quote on the page that a reply rests on", async ({ page }) => {
    const { id } = await server.api.newChatbot({ settings: { model: "local/extractive" } })
    const url = `http://127.0.0.1:${harbour.port}/ferry`
    await server.api.post(`/api/external/chatbot/${id}/sources`, { kind: "website", name: "Harbour", urls: [url] })
    const documents = `/api/external/chatbot/${id}/knowledge-base/documents?status=ready`
    await until(async () => (await server.api.get(documents)).data.length === 1)
    const chat = await Chat.open(page, site.page({ "data-key": id }))
    await chat.exchange("When does the ferry to the islands sail?")
    const link = chat.within.getByRole("list", { name: "Sources" }).getByRole("link", { name: "The ferry" })
    await link.waitFor()
    expect(await link.getAttribute("href")).toStartWith(`${url}#:~:text=The%20ferry%20to`)
    expect(await link.getAttribute("target")).toBe("_blank")
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer")
    await inspect(page, "widget-page-source", chat.document)
  })
})
