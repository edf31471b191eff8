import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findBrowser } from "./lib/Chromium.ts"
import { startHostSite } from "./lib/HostSite.ts"
import { startBrowser } from "./lib/Suite.ts"
import { until, violationsIn } from "./lib/Visit.ts"

const site = startHostSite("http://127.0.0.1:9")
afterAll(site.stop)
const suite = await startBrowser([site.url])

describe("the browser suite", () => {
  test("takes the browser that PARLEY_BROWSER names, then one on the search path, and says why there is none", () => {
    const directory = mkdtempSync(join(tmpdir(), "parley-programs-"))
    const chromium = join(directory, "chromium")
    writeFileSync(chromium, "")
    expect(findBrowser({ PATH: directory })).toEqual({ path: chromium })
    expect(findBrowser({ PATH: "", PARLEY_BROWSER: chromium })).toEqual({ path: chromium })
    expect(findBrowser({ PATH: directory, PARLEY_BROWSER: "/nowhere" })).toEqual({
      why: "there is no file /nowhere, which PARLEY_BROWSER names",
    })
    rmSync(directory, { recursive: true })
  })

  test("notices errors, violated policies, requests to other origins and layout shifts", async () => {
    const visit = await suite.open()
    await visit.page.goto(site.page())
    expect(await visit.layoutShift()).toBe(0)
    expect(visit.problems()).toEqual([])
    await visit.page.evaluate(() => {
      setTimeout(() => {
        throw new Error("a mistake of the page")
      })
      document.body.style.setProperty("color", "red")
      const image = new Image()
      image.src = "http://127.0.0.1:9/beacon.png"
      document.body.append(image)
      const paragraph = document.createElement("p")
      paragraph.setAttribute("style", "color: red")
      document.body.append(paragraph)
      return fetch("http://127.0.0.1:9/stolen").catch(() => {})
    })
    await visit.page.evaluate(() => {
      const box = document.createElement("div")
      box.style.setProperty("height", "300px")
      document.body.prepend(box)
    })
    expect(await visit.layoutShift()).toBeGreaterThan(0)
    const awaited = ["a mistake of the page", ...["img-src", "connect-src", "style-src"].map((of) => `violated: ${of}`)]
    await until(async () => awaited.every((problem) => visit.problems().join("\n").includes(problem)))
    await visit.context.close()

    const open = await suite.open({ bypassCSP: true })
    await open.page.goto(site.page())
    await open.page.evaluate(() => fetch("http://127.0.0.1:9/stolen").catch(() => {}))
    const stolen = "a request to another origin: GET http://127.0.0.1:9/stolen"
    await until(async () => open.problems().join("\n").includes(stolen))
    await open.context.close()
  })

  test("finds what axe finds", async () => {
    const { context, page } = await suite.open()
    await page.goto(site.page(undefined, "<main><h1>A form</h1><p>Fine.</p></main>"))
    expect(await violationsIn(page)).toEqual([])
    await page.goto(site.page(undefined, "<main><h1>A form</h1><input></main>"))
    expect((await violationsIn(page)).join("\n")).toContain("label: <input>")
    await context.close()
  })
})
