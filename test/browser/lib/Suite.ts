import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import type { BrowserContextOptions, Frame, Page } from "playwright-core"
import type { Settings } from "../../lib/Spawn.ts"
import { type HostSite, startHostSite } from "./HostSite.ts"
import { type Model, startModel } from "./Model.ts"
import { type RunningServer, startServer } from "./Process.ts"
import {
  colourViolationsIn,
  desktop,
  launch,
  openVisit,
  phone,
  photograph,
  violationsIn,
  type Visit,
  type VisitOptions,
} from "./Visit.ts"

/*
 * What a test file begins with. There is one browser for the tests of a file, and a visit for each test; a visit on which
 * anything was wrong fails its test.
 */

/** In milliseconds: for a test that hangs, on a machine that is busy with other things. */
const TEST_TIMEOUT = 180_000

type VisitTest = (title: string, body: (visit: Visit) => Promise<void>, options?: BrowserContextOptions) => void

export interface BrowserSuite {
  /** A test in a profile of its own. */
  readonly visit: VisitTest
  /** A visit that the test begins and ends itself. */
  readonly open: (options?: Partial<VisitOptions>) => Promise<Visit>
}

/** Runs what a test does on a visit, and fails when anything new is wrong with the visit then. */
const check = async (visit: Visit, title: string, body: (visit: Visit) => Promise<void>): Promise<void> => {
  const earlier = visit.problems().length
  const problems = () => visit.problems().slice(earlier)
  try {
    await body(visit)
    expect(problems()).toEqual([])
  } catch (failure) {
    await photographFailure(visit, title)
    if (problems().length === 0) throw failure
    throw new Error([String(failure), ...problems()].join("\n"), { cause: failure })
  }
}

/** Makes tests that go on, one after the other, on the same page of one visit. */
export const goingOn =
  (visit: Visit): VisitTest =>
  (title, body) =>
    test(title, () => check(visit, title, body), TEST_TIMEOUT)

/** Opens the browser of a test file, with further arguments. `origins` are those that its pages may ask. */
export const startBrowser = async (
  origins: ReadonlyArray<string>,
  more?: ReadonlyArray<string>,
): Promise<BrowserSuite> => {
  setDefaultTimeout(TEST_TIMEOUT)
  const browser = await launch(more)
  afterAll(() => browser.close())
  const open = (options: Partial<VisitOptions> = {}) => openVisit(browser, { origins, ...options })
  return {
    open,
    visit: (title, body, options) =>
      test(
        title,
        async () => {
          const visit = await open(options)
          try {
            await check(visit, title, body)
          } finally {
            await visit.context.close()
          }
        },
        TEST_TIMEOUT,
      ),
  }
}

const photographFailure = async ({ context }: Visit, title: string): Promise<void> => {
  for (const [index, page] of context.pages().entries()) {
    await photograph(page, `failed-${title}-${index}`).catch(() => {})
  }
}

/** A model, a server that asks it, a customer's site, and a browser. */
export interface Suite extends BrowserSuite {
  readonly model: Model
  readonly server: RunningServer
  readonly site: HostSite
}

const startPair = async (settings?: Settings) => {
  const model = await startModel()
  return { model, server: await startServer(model.url, settings) }
}

/** The model and the server that the test files of a process share. They end with the process. */
let shared: ReturnType<typeof startPair> | undefined

/**
 * Starts everything that a test file needs. A file that needs settings of its own gets a server of its own, which ends
 * after its tests. `more` are arguments of the browser.
 */
export const startSuite = async (settings?: Settings, more?: ReadonlyArray<string>): Promise<Suite> => {
  const { model, server } = await (settings === undefined ? (shared ??= startPair()) : startPair(settings))
  const site = startHostSite(server.url)
  afterAll(async () => {
    site.stop()
    if (settings === undefined) return
    await server.stop()
    model.stop()
  })
  return { model, server, site, ...(await startBrowser([server.url, site.url], more)) }
}

/** Waits until what has changed is laid out and painted. */
export const painted = (frame: Frame | Page): Promise<unknown> =>
  frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/** Expects axe to find nothing in a frame. */
export const expectAccessible = async (frame: Frame | Page, state: string, look = violationsIn): Promise<void> =>
  expect({ state, violations: await look(frame) }).toEqual({ state, violations: [] })

/**
 * Photographs a state of a page and asks axe about it: on a desktop in light and in dark, and on a phone. Leaves the page
 * as it is on a desktop in light.
 */
export const inspect = async (page: Page, name: string, frame: Frame | Page = page): Promise<void> => {
  await photograph(page, `${name}-light`)
  await expectAccessible(frame, `${name}, light`)
  await page.emulateMedia({ colorScheme: "dark" })
  await photograph(page, `${name}-dark`)
  await expectAccessible(frame, `${name}, dark`, colourViolationsIn)
  await page.setViewportSize(phone.viewport)
  await photograph(page, `${name}-phone-dark`)
  await page.emulateMedia({ colorScheme: "light" })
  await photograph(page, `${name}-phone`)
  await expectAccessible(frame, `${name}, phone`)
  await page.setViewportSize(desktop.viewport)
  // The loader moves the chat to its place on a desktop then, and a click in between would miss.
  for (const one of [page, frame]) await painted(one)
}
