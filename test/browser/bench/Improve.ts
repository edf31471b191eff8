import { parseArgs } from "node:util"
import type { Locator, Page } from "playwright-core"
import { startHostSite } from "../lib/HostSite.ts"
import { startServer } from "../lib/Process.ts"
import { launch, openVisit } from "../lib/Visit.ts"
import { Chat } from "../lib/Widget.ts"

/* The benchmark of mending an answer, see `test/bench/loop/Improve.ts`. */

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } })

const QUESTION = "How many days do refunds take?"
const rule = (days: string) => `# Refunds\n\nRefunds take ${days} days.\n\n# Pick-up\n\nA courier picks up your parcel.`

/** A hand that clicks, and remembers each click with the time since the one before. */
const makeHand = () => {
  const begun = performance.now()
  const clicks: Array<string> = []
  return {
    clicks,
    seconds: () => (performance.now() - begun) / 1_000,
    click: async (what: string, target: Locator) => {
      clicks.push(what)
      await target.click()
    },
  }
}

type Hand = ReturnType<typeof makeHand>

const ways: Readonly<Record<string, (page: Page, hand: Hand) => Promise<void>>> = {
  document: async (page, hand) => {
    const choosing = page.waitForEvent("filechooser")
    await hand.click("Replace file…", page.getByRole("button", { name: "Replace file…" }))
    hand.clicks.push("the file")
    await (
      await choosing
    ).setFiles({ name: "Refunds.md", mimeType: "text/markdown", buffer: Buffer.from(rule("three")) })
  },
  pair: async (page, hand) => {
    await hand.click("Write answer…", page.getByRole("button", { name: "Write answer…" }))
    const dialog = page.getByRole("dialog", { name: "Add question" })
    await hand.click("Answer", dialog.getByLabel("Answer"))
    await dialog.getByLabel("Answer").fill("Refunds take three days.")
    await hand.click("Save", dialog.getByRole("button", { name: "Save" }))
  },
}

const server = await startServer("http://127.0.0.1:9")
const site = startHostSite(server.url)
const browser = await launch()

const improve = async (way: string, mend: (page: Page, hand: Hand) => Promise<void>) => {
  const { id } = await server.api.newChatbot({ name: "Shop", settings: { model: "local/extractive" } })
  await server.api.learn(id, { "Refunds.md": rule("five") })
  const { context, newTab, page: shop } = await openVisit(browser, { origins: [server.url, site.url] })
  const page = await newTab()
  await page.goto(`${server.url}/console`)
  await page.getByLabel("API key").fill(server.api.key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { name: "Chatbots" }).waitFor()
  await shop.bringToFront()
  const chat = await Chat.open(shop, site.page({ "data-key": id }))
  const before = await chat.exchange(QUESTION)

  const hand = makeHand()
  await hand.click("Not helpful", chat.button("Not helpful"))
  await page.bringToFront()
  await hand.click("Conversations", page.getByRole("link", { name: "Conversations" }))
  const row = page.getByRole("list", { name: "Conversations" }).getByRole("listitem").filter({ hasText: QUESTION })
  await hand.click("the conversation", row.getByRole("link").first())
  await hand.click("Improve this answer", page.getByRole("link", { name: "Improve this answer" }))
  await mend(page, hand)
  await page.getByRole("article", { name: "New answer" }).getByText("Refunds take three days.").first().waitFor()
  await hand.click("Keep as a test", page.getByRole("button", { name: "Keep as a test" }))
  await page.getByText("Test saved.").waitFor()
  const seconds = hand.seconds()

  // The mended answer is what the next visitor reads, and the test is there.
  await shop.bringToFront()
  const after = await chat.exchange(QUESTION, 2)
  const { data: tests } = await server.api.get(`/api/external/chatbot/${id}/tests`)
  const isRight = before.includes("five") && after.includes("three") && tests.length === 1
  await server.api.delete(`/api/external/chatbot/${id}`)
  await context.close()
  return { way, clicks: hand.clicks, seconds, isRight }
}

try {
  for (const [way, mend] of Object.entries(ways))
    for (let round = 1; round <= Number(values.rounds); round++) {
      const { clicks, isRight, seconds } = await improve(way, mend)
      process.stdout.write(
        `${way.padEnd(9)} ${clicks.length} clicks, ${seconds.toFixed(1)} s${isRight ? "" : ", WRONG"}   (${clicks.join(" → ")})\n`,
      )
      if (!isRight) process.exitCode = 1
    }
} finally {
  await browser.close()
  site.stop()
  await server.stop()
}
