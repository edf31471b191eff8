import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core"
import { scopesWithin } from "../../../src/domain/keys/ApiKey.ts"
import { says } from "../../lib/FakeAnthropic.ts"
import { isWholeSearch, searchSeed } from "../../lib/Sample.ts"
import type { Settings } from "../../lib/Spawn.ts"
import { Api } from "./Api.ts"
import { type HostSite, startHostSite } from "./HostSite.ts"
import { type Model, startModel } from "./Model.ts"
import { type RunningServer, startServer } from "./Process.ts"
import {
  arePicturesWanted,
  colourViolationsIn,
  desktop,
  launch,
  openVisit,
  phone,
  photograph,
  photographFailure,
  until,
  violationsIn,
  type Visit,
  type VisitOptions,
} from "./Visit.ts"

/*
 * What a test file begins with. The files of a process share a browser and a server, where each has an organization of its
 * own; each test has a visit, and a visit on which anything was wrong fails its test.
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

/** The browser that the test files of a process share. It ends with the process. */
let sharedBrowser: Promise<Browser> | undefined

/**
 * The browser of a test file. `origins` are those that its pages may ask. With further arguments, the file gets a browser
 * of its own, which ends after its tests.
 */
export const startBrowser = async (
  origins: ReadonlyArray<string>,
  more?: ReadonlyArray<string>,
): Promise<BrowserSuite> => {
  setDefaultTimeout(TEST_TIMEOUT)
  const browser = await (more === undefined ? (sharedBrowser ??= launch()) : launch(more))
  if (more !== undefined) afterAll(() => browser.close())
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

/** A model, a server that asks it, a customer's site, and a browser. */
export interface Suite extends BrowserSuite {
  readonly model: Model
  readonly server: RunningServer
  readonly site: HostSite
}

/** Of the server, which groups the questions of visitors by topic every minute by itself: not to wait for that. */
const constants = { "parley/jobs/TopicsInterval": "1 second" }

const startPair = async (settings?: Settings) => {
  const model = await startModel()
  return { model, server: await startServer(model.url, settings, constants) }
}

/** The model and the server that the test files of a process share. They end with the process. */
let shared: ReturnType<typeof startPair> | undefined

/** The shared server and its model, as they are for a file that begins: for it, there is a new organization. */
const joinPair = async () => {
  const { model, server } = await (shared ??= startPair())
  model.answers(() => says("Hello."))
  const { organization } = await server.api.post("/api/admin/organizations", { name: "A file of tests" })
  const input = { name: "Tests", organization_id: organization.id, scopes: scopesWithin({ is_operator: false }) }
  const { key } = await server.api.post("/api/admin/api-keys", input)
  return { model, server: { ...server, api: new Api(server.url, key) } }
}

/**
 * Starts everything that a test file needs. A file that needs settings of its own gets a server of its own, which ends
 * after its tests. `more` are arguments of the browser.
 */
export const startSuite = async (settings?: Settings, more?: ReadonlyArray<string>): Promise<Suite> => {
  const { model, server } = await (settings === undefined ? joinPair() : startPair(settings))
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

/** Waits until what is read is this. Where it never is, the failure shows what it is. */
export const becomes = async <A>(read: () => Promise<A>, expected: NoInfer<A>): Promise<void> => {
  let last: A | undefined
  await until(async () => Bun.deepEquals((last = await read()), expected)).catch(() => {})
  expect(last).toEqual(expected)
}

/** Expects axe to find nothing in a frame. */
export const expectAccessible = async (frame: Frame | Page, state: string, look = violationsIn): Promise<void> =>
  expect({ state, violations: await look(frame) }).toEqual({ state, violations: [] })

/** Whether a state is looked at in the dark and on a phone as well: about one of three, which the commit chooses. */
const isOfSample = (name: string): boolean => isWholeSearch || (Bun.hash.crc32(name) + searchSeed) % 3 === 0

/** Waits until the mouse reaches a frame where it stands now: Chromium may route it by an earlier layout for a while. */
const reached = async (page: Page, frame: Frame): Promise<void> => {
  const stand = async () => (await (await frame.frameElement()).boundingBox()) ?? { x: 0, y: 0 }
  await frame.evaluate(() => {
    document.addEventListener("mousemove", ({ clientX, clientY }) =>
      Object.assign(window, { reachedAt: `${clientX} ${clientY}` }),
    )
  })
  let step = 0
  await until(async () => {
    const { x, y } = await stand()
    step = (step % 9) + 1
    await page.mouse.move(Math.ceil(x) + step, Math.ceil(y) + step)
    await painted(frame)
    const at = await frame.evaluate(() => String(Reflect.get(window, "reachedAt")))
    // A frame's border and fractions of a pixel are no other layout.
    return at.split(" ").every((part) => Math.abs(Number(part) - step) < 3)
  })
}

/**
 * Asks axe about a state of a page, and photographs it where that is wanted: on a desktop, and of a sample of the states
 * also in the dark and on a phone. Leaves the page as it is on a desktop in light.
 */
export const inspect = async (page: Page, name: string, frame: Frame | Page = page): Promise<void> => {
  await photograph(page, `${name}-light`)
  await expectAccessible(frame, `${name}, light`)
  if (!arePicturesWanted && !isOfSample(name)) return
  // The loader moves the chat to its place on another screen, and parts of a page are others on a phone.
  const settled = async () => {
    for (const one of new Set([page, frame])) await painted(one)
  }
  await page.emulateMedia({ colorScheme: "dark" })
  await settled()
  await photograph(page, `${name}-dark`)
  await expectAccessible(frame, `${name}, dark`, colourViolationsIn)
  await page.setViewportSize(phone.viewport)
  if (arePicturesWanted) await settled()
  await photograph(page, `${name}-phone-dark`)
  await page.emulateMedia({ colorScheme: "light" })
  await settled()
  await photograph(page, `${name}-phone`)
  await expectAccessible(frame, `${name}, phone`)
  await page.setViewportSize(desktop.viewport)
  await settled()
  if ("frameElement" in frame) await reached(page, frame)
}
