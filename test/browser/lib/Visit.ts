import { mkdirSync } from "node:fs"
import { join } from "node:path"
import {
  type Browser,
  type BrowserContextOptions,
  type BrowserContext,
  chromium,
  type Frame,
  type Page,
} from "playwright-core"
import { askedScreenshots, findBrowser, screenshotDirectory } from "./Chromium.ts"

/*
 * A visit in a real browser: a new profile whose console, errors, violated policies and requests are watched.
 */

/** Whether each screen is photographed: a picture of each costs as much as all else that a test does with it. */
export const arePicturesWanted = askedScreenshots(process.env) !== undefined
const pictures = screenshotDirectory(process.env)

/** In milliseconds: how long a page may take for anything that a test waits for, on a busy machine. */
const PATIENCE = 120_000

const ARGUMENTS = [
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // No page can ask anything beyond this machine, even where a test misses it.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
]

export const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} as const satisfies BrowserContextOptions

export const desktop = { viewport: { width: 1280, height: 800 } } as const satisfies BrowserContextOptions

/** Waits until something is so that no locator can wait for. */
export const until = async (isSo: () => Promise<boolean>, patience = PATIENCE): Promise<void> => {
  const end = performance.now() + patience
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It is still not so: ${isSo}`)
    await Bun.sleep(30)
  }
}

/** What a test does in the browser. */
export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Another tab of the same profile, watched like the first. */
  readonly newTab: () => Promise<Page>
  /** Expects what would otherwise fail the test, such as `/status of 404/` where a page has to meet one. */
  readonly expects: (problem: RegExp) => void
  /** What was wrong so far, without what was expected. */
  readonly problems: () => ReadonlyArray<string>
  /** The sum of the layout shifts of the page so far, none of which a user caused. */
  readonly layoutShift: (page?: Page) => Promise<number>
}

export interface VisitOptions extends BrowserContextOptions {
  /** The origins that a page of this test may ask. */
  readonly origins: ReadonlyArray<string>
}

/** Runs in every frame before its own scripts. */
const watchInside = () => {
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective, sample }) =>
    reportError(new Error(`policy violated: ${effectiveDirective} by ${blockedURI} ${sample}`)),
  )
  let sum = 0
  const add = (entries: PerformanceEntryList) => {
    for (const entry of entries) {
      if ("hadRecentInput" in entry && entry.hadRecentInput !== true && "value" in entry) sum += Number(entry.value)
    }
  }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: "layout-shift", buffered: true })
  // What was noticed and not told yet counts too.
  Object.defineProperty(window, "testedLayoutShift", { value: () => (add(observer.takeRecords()), sum) })
}

const watchPage = (page: Page, report: (problem: string) => void): void => {
  page.setDefaultTimeout(PATIENCE)
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      report(`${message.type()}: ${message.text()} (${message.location().url})`)
    }
  })
  page.on("pageerror", (error) => report(`uncaught: ${error.stack ?? error.message}`))
  page.on("crash", () => report("the page crashed"))
}

/** Launches a browser, with further arguments. */
export const launch = async (more: ReadonlyArray<string> = []): Promise<Browser> => {
  const found = findBrowser(process.env)
  if ("why" in found) throw new Error(`These tests run in a browser, and ${found.why}.`)
  return chromium.launch({ executablePath: found.path, args: [...ARGUMENTS, ...more] })
}

/** Opens a new profile in a browser. */
export const openVisit = async (browser: Browser, { origins, ...options }: VisitOptions): Promise<Visit> => {
  const context = await browser.newContext({ ...desktop, locale: "en-GB", reducedMotion: "reduce", ...options })
  const found: Array<string> = []
  const expected: Array<RegExp> = []
  const report = (problem: string) => void found.push(problem)
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url())
    if (!/^(?:http|ws)s?:$/.test(protocol)) return
    if (!origins.includes(origin)) report(`a request to another origin: ${request.method()} ${request.url()}`)
  })
  await context.addInitScript(watchInside)
  const newTab = async () => {
    const page = await context.newPage()
    watchPage(page, report)
    return page
  }
  const page = await newTab()
  return {
    context,
    page,
    newTab,
    expects: (problem) => void expected.push(problem),
    problems: () => found.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
    layoutShift: (of = page) =>
      of.evaluate(async () => {
        // A shift is noticed in the frame that paints it, which ends before the next one begins.
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        return Number(Reflect.get(window, "testedLayoutShift")())
      }),
  }
}

const fileName = (title: string) => title.replaceAll(/[^a-zA-Z0-9]+/g, "-").slice(0, 100)

const takePicture = async (page: Page, name: string): Promise<void> => {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({
    path: join(pictures, `${fileName(name)}.png`),
    animations: "disabled",
    caret: "initial",
  })
}

/** Puts a picture of the page, as it is, into the directory of the pictures, where they are wanted. */
export const photograph = async (page: Page, name: string): Promise<void> => {
  if (arePicturesWanted) await takePicture(page, name)
}

/** Puts pictures of all pages of a visit that has failed into the directory of the pictures. */
export const photographFailure = async ({ context }: Visit, title: string): Promise<void> => {
  for (const [index, page] of context.pages().entries())
    await takePicture(page, `failed-${title}-${index}`).catch(() => {})
}

const axeSource = Bun.file(join(import.meta.dir, "../../../node_modules/axe-core/axe.min.js"))

/** What of a page changes with its colours alone. */
const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]

/** What axe finds wrong in a frame, one line for each element. */
const axe = async (frame: Frame | Page, options: object = {}): Promise<ReadonlyArray<string>> => {
  const hasAxe = await frame.evaluate(() => Reflect.has(window, "axe"))
  if (!hasAxe) await frame.evaluate(await axeSource.text())
  return frame.evaluate(async (more) => {
    const { violations } = await Reflect.get(window, "axe").run({
      resultTypes: ["violations"],
      // A frame is asked about by itself, and no rule that is used needs the text of the style sheets.
      iframes: false,
      preload: false,
      ...more,
    })
    return violations.flatMap(
      ({ id, nodes }: { id: string; nodes: ReadonlyArray<{ html: string; failureSummary?: string }> }) =>
        nodes.map(({ failureSummary = "", html }) => `${id}: ${html.slice(0, 300)}: ${failureSummary.slice(0, 300)}`),
    )
  }, options)
}

/** What axe finds wrong in a frame, one line for each element. */
export const violationsIn = (frame: Frame | Page) => axe(frame)

/** What axe finds wrong with the colours of a frame, of which it has found nothing else wrong. */
export const colourViolationsIn = (frame: Frame | Page) =>
  axe(frame, { runOnly: { type: "rule", values: RULES_OF_COLOURS } })
