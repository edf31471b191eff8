import { parseArgs } from "node:util"
import type { Browser } from "playwright-core"
import { startHostSite } from "../lib/HostSite.ts"
import { Dictation, startModel } from "../lib/Model.ts"
import { startServer } from "../lib/Process.ts"
import { launch, openVisit } from "../lib/Visit.ts"
import { Chat, launcher } from "../lib/Widget.ts"
import { answers } from "./Answers.ts"
import { framesOf, percentile, SLOW_FRAME, slow } from "./Frames.ts"

/* The benchmark of the pages, see `test/bench/web.ts`. */

/** Of other widgets, in kB, gzip, until one can type. */
const PEERS = { Flowise: 284, n8n: 456, Typebot: 196, "deep-chat": 111 }
const PIECE_LENGTH = 24
/** In milliseconds: a quick model. */
const PIECE_PAUSE = 25
const SLOWED = 4

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    answers: { type: "string", default: Object.keys(answers).join() },
  },
})
const rounds = Number(values.rounds)
const line = (...parts: ReadonlyArray<string>) => process.stdout.write(`${parts.join("")}\n`)
const ms = (value: number) => `${value.toFixed(1)} ms`

const model = await startModel()
const server = await startServer(model.url)
const site = startHostSite(server.url)
const origins = [server.url, site.url]
const { id } = await server.api.newChatbot()
const address = site.page({ "data-key": id })

/** The bytes of the answers that a page is sent, by path. */
const transferred = async (browser: Browser, go: (chat: Awaited<ReturnType<typeof openVisit>>) => Promise<void>) => {
  const visit = await openVisit(browser, { origins })
  const sizes = new Map<string, number>()
  const asked: Array<Promise<void>> = []
  visit.context.on("requestfinished", (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin !== server.url || pathname.startsWith("/api/")) return
    asked.push(
      fetch(request.url(), { headers: { "accept-encoding": "gzip" }, decompress: false })
        .then((response) => response.arrayBuffer())
        .then((body) => void sizes.set(pathname.replace(/assets\/[^/]+/, "assets"), body.byteLength)),
    )
  })
  await go(visit)
  await visit.page.waitForTimeout(500)
  await Promise.all(asked)
  await visit.context.close()
  return sizes
}

const showSizes = (title: string, sizes: ReadonlyMap<string, number>) => {
  const sum = sizes.values().reduce((one, other) => one + other, 0)
  line(
    `${title.padEnd(34)}${(sum / 1_000).toFixed(1)} kB gzip  (${Array.from(sizes, ([path, size]) => `${path.split("/").at(-1)} ${(size / 1_000).toFixed(1)}`).join(", ")})`,
  )
}

/** From the click on the launcher until the composer has the focus. */
const openToTyping = async (browser: Browser, rate: number): Promise<number> => {
  const { context, page } = await openVisit(browser, { origins })
  await context.addInitScript(() => {
    const now = () => performance.timeOrigin + performance.now()
    if (window.parent === window) {
      addEventListener("click", () => Object.assign(window, { clicked: now() }), { capture: true, once: true })
    } else {
      addEventListener("focusin", ({ target }) => {
        if (target instanceof HTMLTextAreaElement && !Reflect.has(window, "typable"))
          Object.assign(window, { typable: now() })
      })
    }
  })
  await page.goto(address)
  await launcher(page).waitFor()
  if (rate > 1) await slow(await context.newCDPSession(page), rate)
  await launcher(page).click()
  const chat = new Chat(page)
  await chat.composer.waitFor()
  await chat.document.waitForFunction(() => Reflect.has(window, "typable"))
  const typable: number = await chat.document.evaluate(() => Reflect.get(window, "typable"))
  const clicked: number = await page.evaluate(() => Reflect.get(window, "clicked"))
  await context.close()
  return typable - clicked
}

/** Streams an answer into the widget, piece by piece, and counts the frames of the page meanwhile. */
const framesOfStreamed = async (browser: Browser, answer: string) => {
  const { context, page } = await openVisit(browser, { origins })
  const dictation = new Dictation()
  model.answers(() => dictation.answer)
  // A page of its own, whose main thread is the one that the slowed processor is about.
  await page.goto(`${server.url}/chat/${id}`)
  const chat = new Chat(page, page)
  await chat.ask("Everything, please")
  dictation.write("So: ")
  await chat.within.locator("article[data-phase=writing]").waitFor()
  const session = await context.newCDPSession(page)
  await slow(session, SLOWED)
  const frames = await framesOf(page, async () => {
    for (let at = 0; at < answer.length; at += PIECE_LENGTH) {
      dictation.write(answer.slice(at, at + PIECE_LENGTH))
      await Bun.sleep(PIECE_PAUSE)
    }
  })
  dictation.end()
  await slow(session, 1)
  await chat.reply()
  await context.close()
  return frames
}

const isWanted = (part: string) => values.only === "" || values.only.split(",").includes(part)

const browser = await launch()
try {
  line(`${browser.version()}; ${rounds} rounds; the slowed processor is ${SLOWED} times slower`)
  if (isWanted("sizes")) {
    showSizes("loader", await transferred(browser, async ({ page }) => void (await page.goto(address))))
    showSizes(
      "loader and frame, until one can type",
      await transferred(browser, async ({ page }) => void (await Chat.open(page, address))),
    )
    showSizes(
      "console, first screen",
      await transferred(
        browser,
        async ({ page }) => void (await page.goto(`${server.url}/console`, { waitUntil: "networkidle" })),
      ),
    )
    line(
      `others: ${Object.entries(PEERS)
        .map(([name, size]) => `${name} ${size} kB`)
        .join(", ")}`,
    )
  }
  if (isWanted("open")) {
    for (const rate of [1, SLOWED]) {
      const times: Array<number> = []
      for (let round = 0; round < rounds; round += 1) times.push(await openToTyping(browser, rate))
      line(
        `${`click to typing, ${rate} × slowed`.padEnd(34)}median ${ms(percentile(times, 0.5))}, all ${times.map((time) => time.toFixed(0)).join(" ")}`,
      )
    }
  }
  if (isWanted("frames")) {
    for (const [name, answer] of Object.entries(answers)) {
      if (!values.answers.split(",").includes(name)) continue
      const { frames, longestTask, slow } = await framesOfStreamed(browser, answer)
      line(
        `${`15 kB, ${name}, slowed`.padEnd(34)}${slow} of ${frames} frames over ${SLOW_FRAME} ms, longest task ${longestTask < 50 ? "below 50 ms" : ms(longestTask)}`,
      )
    }
  }
} finally {
  await browser.close()
  site.stop()
  await server.stop()
  model.stop()
}
process.exit()
