import { join } from "node:path"
import type { Page } from "playwright-core"
import { root } from "../lib/docs/Markdown.ts"
import { startServer } from "./lib/Process.ts"
import { painted } from "./lib/Suite.ts"
import { launch } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

/*
 * `bun run pictures` photographs the console and the widget for README.md, on a server of its own with sample data, and draws
 * the face of the guide's chatbot. The
 * answers are those of `local/extractive`, so that no model has to be there.
 */

const NAME = "Harbour Ferries"
const COLOR = "#0b5c8a"

const documents = {
  "Timetable.md": `# Timetable

## Summer

From May to September the ferry to the islands leaves at 7:30, 12:00 and 18:00 every day. The crossing takes fifty minutes.

## Winter

From October to April the ferry leaves at 9:00 and 16:00, except on Christmas Day.`,
  "Prices and refunds.md": `# Prices and refunds

## Prices

A crossing costs 14 euros for adults and 7 euros for children under twelve. Bicycles travel free of charge.

## Refunds

A ticket is refunded in full until two hours before departure, and for half of its price after that. If we cancel a crossing, you get all of the money back within three days.`,
  "Travelling with animals.md": `# Travelling with animals

Dogs travel free of charge on the open deck if they are on a lead. Cats and small animals stay in their carriers.`,
}

/** What visitors asked at other times, some of it in vain. */
const earlier = [
  "How much is a crossing for adults?",
  "When is a ticket refunded?",
  "Is there Wi-Fi on board?",
  "Does the ferry leave on Christmas Day?",
  "Do you have Wi-Fi on board?",
  "Is there a cafe at the pier?",
]

const questions = ["When does the ferry leave in summer?", "Do dogs travel free of charge?"] as const

const website = (script: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${NAME}</title>
<link rel="icon" href="data:,"><style>
body { margin: 0; font: 17px/1.6 system-ui, sans-serif; color: #1d2b36; background: #fbfcfd }
header { padding: 1.25rem 4rem; display: flex; gap: 2rem; align-items: baseline; background: #fff; border-bottom: 1px solid #e3e9ee }
header b { font-size: 1.2rem; margin-right: auto }
main { padding: 4.5rem 4rem; max-width: 34rem }
h1 { font-size: 3rem; line-height: 1.1; margin: 0 0 1.25rem }
.to { display: inline-block; margin-top: 1rem; padding: .7rem 1.4rem; border-radius: .5rem; background: ${COLOR}; color: #fff }
</style>${script}</head><body><header><b>${NAME}</b><span>Timetable</span><span>Prices</span><span>Islands</span></header>
<main><h1>Fifty minutes to the islands.</h1><p>Three crossings a day in summer, two in winter. Bring your bicycle, your dog
and a warm pullover: it is always a little windier out there.</p><span class="to">Book a crossing</span></main></body></html>`

/** Writes a picture of a page below `docs/images`. */
const photograph = async (page: Page, name: string): Promise<void> => {
  await painted(page)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 })
  await Bun.write(join(root, "docs/images", `${name}.webp`), Buffer.from(data, "base64"))
}

const server = await startServer(
  "http://127.0.0.1:9",
  { ANTHROPIC_API_KEY: "", RATE_LIMIT: "off" },
  {
    "parley/jobs/TopicsInterval": "1 second",
  },
)
const browser = await launch()
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }),
})
let page = ""
try {
  const { id } = await server.api.newChatbot({
    name: NAME,
    settings: { model: "local/extractive", greeting: "Hello! Ask me about crossings, prices and luggage." },
  })
  await server.api.patch(`/api/external/chatbot/${id}/chat-widget`, {
    header: NAME,
    primaryColor: COLOR,
  })
  await server.api.learn(id, documents)
  const { key } = await server.api.publishableKey(id, [site.url.origin])
  page = website(`<script async src="${server.url}/widget.js" data-key="${key}" data-color="${COLOR}"></script>`)

  for (const content of earlier) {
    await server.api.post(`/api/external/chatbot/${id}/chat`, { messages: [{ role: "user", content }] })
  }

  const context = await browser.newContext({
    viewport: { width: 1100, height: 660 },
    locale: "en-GB",
    reducedMotion: "reduce",
  })
  const visitor = await context.newPage()
  const chat = await Chat.open(visitor, site.url.href)
  for (const [index, question] of questions.entries()) {
    await chat.composer.fill(question)
    await chat.composer.press("Enter")
    await chat.within.getByRole("button", { name: "Helpful", exact: true }).nth(index).waitFor()
  }
  await photograph(visitor, "widget")

  const operator = await context.newPage()
  await operator.setViewportSize({ width: 1280, height: 720 })
  await operator.goto(`${server.url}/console`)
  await operator.getByLabel("API key").fill(server.api.key)
  await operator.keyboard.press("Enter")
  await operator
    .getByText(/^Asked \d/)
    .first()
    .waitFor()
  await photograph(operator, "home")
  await operator.goto(`${server.url}/console/chatbots/${id}/playground`)
  for (const [index, question] of questions.entries()) {
    await operator.getByPlaceholder("Ask a question…").fill(question)
    await operator.keyboard.press("Enter")
    await operator
      .getByText(/^\d steps/)
      .nth(index)
      .waitFor()
  }
  await operator.getByText("Search", { exact: true }).last().click()
  await photograph(operator, "console")

  // The guide gives its chatbot a face.
  const face = await context.newPage()
  await face.setViewportSize({ width: 128, height: 128 })
  await face.setContent(`<style>body { margin: 0 }</style>${await Bun.file(join(root, "src/web/icon.svg")).text()}`)
  await face.screenshot({ path: join(root, "docs/images/face.png"), omitBackground: true })
} finally {
  await browser.close()
  await site.stop(true)
  await server.stop()
}
