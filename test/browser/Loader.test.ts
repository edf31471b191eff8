import { describe, expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { becomes, expectAccessible, startSuite } from "./lib/Suite.ts"
import { phone, photograph, until } from "./lib/Visit.ts"
import { call, Chat, focused, frameOf, inFrame, launcher } from "./lib/Widget.ts"

const { model, server, site, visit } = await startSuite()
const { id } = await server.api.newChatbot()
const key = { "data-key": id }

describe("before the first click, the script", () => {
  visit(
    "costs the page one request, no storage, no cookie and no shift of its layout",
    async ({ context, layoutShift, page }) => {
      const asked: Array<string> = []
      page.on("request", (request) => asked.push(request.url()))
      await page.goto(site.page({ key: id }))
      await launcher(page).waitFor()
      expect(asked.filter((url) => url.startsWith(server.url))).toEqual([`${server.url}/widget.js?key=${id}`])
      const kept = await page.evaluate(async () => ({
        local: localStorage.length,
        session: sessionStorage.length,
        databases: (await indexedDB.databases()).length,
        cookie: document.cookie,
        globals: Object.keys(window).filter((name) => /parley/i.test(name)),
      }))
      expect(kept).toEqual({ local: 0, session: 0, databases: 0, cookie: "", globals: ["Parley"] })
      expect(await context.cookies()).toEqual([])
      expect(await layoutShift()).toBe(0)
      await expectAccessible(page, "launcher")
      await photograph(page, "launcher")
    },
  )

  visit(
    "has its frame served on the origin of the key, and no page of another one uses that key itself",
    async ({ expects, page }) => {
      expects(/status of 403/)
      const ours = await server.api.publishableKey(id, [site.url])
      const theirs = await server.api.publishableKey(id, ["https://shop.example.com"])
      // Without the policy of the site's pages, which lets them ask nobody.
      await page.goto(`${site.url}/style.css`)
      const statusOf = (one: string) =>
        page.evaluate(
          async ([url, body]) => {
            const headers = { "content-type": "application/json" }
            return (await fetch(`${url}/api/widget/sessions`, { method: "POST", headers, body })).status
          },
          [server.url, JSON.stringify({ key: one })] as const,
        )
      expect([await statusOf(ours.key), await statusOf(theirs.key)]).toEqual([201, 403])
      model.answers(() => says("It sails at noon."))
      const chat = await Chat.open(page, site.page({ "data-key": ours.key }))
      expect(await chat.exchange("When does the ferry sail?")).toBe("It sails at noon.")
    },
  )

  visit("says on which page a visitor asks, and nothing of its query", async ({ page }) => {
    model.answers(() => says("It sails at noon."))
    const address = site.page(key)
    const chat = await Chat.open(page, `${address}?token=swordfish#swordfish`)
    await page.evaluate(() => (document.title = "The harbour 🙂".padEnd(250, "🙂")))
    await launcher(page).click()
    await launcher(page).click()
    await chat.exchange("When does the ferry sail?")
    const { data } = await server.api.get(`/api/external/chatbot/${id}/conversations`)
    const { title, url } = data[0].page
    expect(url).toBe(address)
    expect(title).toHaveLength(200)
    expect(title).toStartWith("The harbour 🙂")
  })

  visit("loads the frame as the launcher is pressed, and opens it on the click", async ({ page }) => {
    await page.goto(site.page(key))
    await launcher(page).hover()
    expect(await page.locator("iframe").count()).toBe(0)
    await page.mouse.down()
    const composer = inFrame(page).locator("textarea")
    await composer.waitFor({ state: "attached" })
    await becomes(() => launcher(page).getAttribute("aria-expanded"), "false")
    await becomes(() => composer.isVisible(), false)
    await page.mouse.up()
    await focused(frameOf(page))
  })

  visit("draws the launcher as its attributes say, with a readable icon on any colour", async ({ page }) => {
    for (const [color, icon] of [
      ["#ffee00", "rgb(0, 0, 0)"],
      ["#102030", "rgb(255, 255, 255)"],
    ] as const) {
      await page.goto(site.page({ ...key, "data-color": color, "data-position": "left", "data-label": "Ask us" }))
      const button = page.getByRole("button", { name: "Ask us" })
      await button.waitFor()
      expect(await button.evaluate((element) => getComputedStyle(element).color)).toBe(icon)
      expect((await button.boundingBox())?.x).toBeLessThan(100)
    }
  })

  visit("draws the launcher as the server says, whatever was pasted when it looked different", async ({ page }) => {
    const { id: dressed } = await server.api.newChatbot()
    const address = site.page({ key: dressed })
    const dress = async (launcherLook: object, primaryColor: string) => {
      await server.api.patch(`/api/external/chatbot/${dressed}/chat-widget`, { primaryColor, launcher: launcherLook })
      // What the server remembers of a key holds for a second.
      await until(async () =>
        (await (await fetch(`${server.url}/widget.js?key=${dressed}`)).text()).includes(primaryColor),
      )
      // Browsers keep the script for some minutes.
      await (await page.context().newCDPSession(page)).send("Network.clearBrowserCache")
    }
    const colorOf = () => launcher(page).evaluate((button) => getComputedStyle(button).backgroundColor)
    await dress({}, "#123456")
    await page.goto(address)
    await becomes(() => colorOf(), "rgb(18, 52, 86)")
    const usual = await launcher(page).boundingBox()
    await dress({ icon: "question", size: "large", side: "left", text: "Ask us" }, "#ffee00")
    await page.goto(address)
    await becomes(() => colorOf(), "rgb(255, 238, 0)")
    const dressedUp = await page.getByRole("button", { name: "Ask us" }).boundingBox()
    expect([usual?.width, dressedUp?.height, dressedUp?.x]).toEqual([56, 68, 20])
    await expectAccessible(page, "launcher with a text")
    await photograph(page, "launcher-text")
  })

  visit("is not disturbed by the page's own styles and scripts", async ({ page }) => {
    await page.goto(site.page(key))
    await launcher(page).waitFor()
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(
        "* { all: unset !important } div, button, iframe { display: none !important; position: static !important } button { width: 1px !important }",
      )
      document.adoptedStyleSheets = [sheet]
    })
    const box = await launcher(page).boundingBox()
    expect(box?.width).toBe(56)
  })

  visit("comes back to a page that replaces its content", async ({ page }) => {
    await page.goto(site.page(key))
    await launcher(page).waitFor()
    await page.evaluate(() => document.body.replaceChildren())
    await launcher(page).waitFor()
    await page.evaluate(() => document.documentElement.replaceChild(document.createElement("body"), document.body))
    await launcher(page).waitFor()
  })
})

describe("the script's interface", () => {
  visit(
    "opens, closes and toggles, moves the focus there and back, and tells its listeners",
    async ({ layoutShift, page }) => {
      await page.goto(site.page(key))
      await launcher(page).waitFor()
      await page.evaluate(() => {
        const told: Array<string> = []
        Object.assign(window, { told })
        for (const name of ["ready", "open", "close"] as const) {
          if (window.Parley !== undefined && "on" in window.Parley) window.Parley.on(name, () => told.push(name))
        }
      })
      await launcher(page).click()
      await page.waitForFunction(() => document.activeElement?.shadowRoot?.activeElement?.tagName === "IFRAME")
      await page.waitForFunction(() => Reflect.get(window, "told").includes("ready"))
      await becomes(() => launcher(page).getAttribute("aria-expanded"), "true")
      await focused(frameOf(page))
      await page.keyboard.press("Escape")
      await page.waitForFunction(() => document.activeElement?.shadowRoot?.activeElement?.tagName === "BUTTON")
      await becomes(() => launcher(page).getAttribute("aria-expanded"), "false")
      await call(page, "toggle")
      await page.locator("iframe").waitFor()
      await call(page, "toggle")
      await page.locator("iframe").waitFor({ state: "hidden" })
      await call(page, "open")
      await call(page, "close")
      await page.waitForFunction(() => Reflect.get(window, "told").length === 7)
      const told: ReadonlyArray<string> = await page.evaluate(() => Reflect.get(window, "told"))
      expect(told.filter((name) => name !== "ready")).toEqual(["open", "close", "open", "close", "open", "close"])
      expect(await layoutShift()).toBe(0)
    },
  )

  visit("takes calls that a page makes before the script is there", async ({ page }) => {
    const address = site.page(key)
    await page.addInitScript(() => {
      if (window.parent === window) Object.assign(window, { Parley: [["open"]] })
    })
    await page.goto(address)
    await page.locator("iframe").waitFor()
  })

  visit("keeps to one chat where a page includes the script twice", async ({ expects, page }) => {
    expects(/has a chat already/)
    const other = await server.api.newChatbot()
    const address = site.page(
      key,
      `<h1>Twice</h1><script async src="${server.url}/widget.js" data-key="${id}"></script><script async src="${server.url}/widget.js" data-key="${other.id}"></script>`,
    )
    await page.goto(address)
    await launcher(page).waitFor()
    await page.waitForLoadState("load")
    expect(await launcher(page).count()).toBe(1)
  })

  visit("opens at the start without taking the focus or the page's place", async ({ layoutShift, page }) => {
    await page.goto(site.page({ ...key, "data-open": "" }))
    await page.locator("iframe").waitFor()
    await inFrame(page).locator("textarea").waitFor()
    await becomes(() => page.evaluate(() => document.activeElement === document.body), true)
    expect(await layoutShift()).toBe(0)
  })
})

visit(
  "an inline chat fills the element that it is given, and says so where there is none",
  async ({ expects, layoutShift, page }) => {
    await page.goto(
      site.page({ ...key, "data-target": "#chat" }, '<h1>Ask</h1><div id="chat" class="room"></div><p>Below</p>'),
    )
    const frame = page.locator("#chat iframe")
    await frame.waitFor()
    expect((await frame.boundingBox())?.height).toBeGreaterThanOrEqual(400)
    expect(await launcher(page).count()).toBe(0)
    await photograph(page, "inline")
    expect(await layoutShift()).toBe(0)
    expects(/There is no element #nowhere/)
    await page.goto(site.page({ ...key, "data-target": "#nowhere" }))
    await page.waitForFunction(() => window.Parley !== undefined)
    expect(await page.locator("iframe").count()).toBe(0)
    expect(await layoutShift()).toBe(0)
  },
)

visit(
  "on a phone, the chat fills the screen",
  async ({ page }) => {
    await page.goto(site.page(key))
    await launcher(page).tap()
    const frame = page.locator("iframe")
    await frame.waitFor()
    await becomes(() => frame.boundingBox(), { x: 0, y: 0, ...phone.viewport })
    await frameOf(page).waitForURL(`${server.url}/widget/${id}`)
  },
  phone,
)
