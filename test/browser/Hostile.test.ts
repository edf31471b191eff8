import { afterAll, describe, expect, test } from "bun:test"
import { sampleOf } from "../lib/Sample.ts"
import { hostileDocuments } from "./lib/HostileMarkdown.ts"
import { paced } from "./lib/Model.ts"
import { startSuite } from "./lib/Suite.ts"
import { photograph } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

const { model, open, server, site } = await startSuite()

const { id } = await server.api.newChatbot()
const { context, page, problems } = await open()
afterAll(() => context.close())
page.on("dialog", (dialog) => void dialog.dismiss())
const chat = await Chat.open(page, site.page({ "data-key": id }))

/** Pieces of a streamed answer, so many that what was half written is rendered too. */
const PIECES = 20

describe("an answer that is hostile, by what it tries,", () => {
  // `test/web/HostileAnswers.test.ts` renders all of them without a browser.
  test.each(sampleOf(hostileDocuments, 4).map((document) => [document.name, document] as const))(
    "runs nothing, asks nobody and stays in its box: %s",
    async (name, { markdown, shows }) => {
      model.answers(() => paced(markdown, Math.max(7, Math.ceil(markdown.length / PIECES)), 4))
      if ((await chat.replies.count()) > 0) await chat.button("New conversation").click()
      await chat.ask("Show me")
      await chat.within.locator("article[data-phase][aria-busy=false]").waitFor()
      // The page lets the visitor go on.
      await chat.composer.pressSequentially("ok")
      await chat.composer.fill("")
      const found = await chat.document.evaluate(() => {
        const log = document.querySelector("article[data-phase] .markdown")
        if (log === null) throw new Error("There is no reply")
        const box = log.getBoundingClientRect()
        const elements = Array.from(log.querySelectorAll("*"))
        const scrolls = (element: Element) => {
          for (let one = element.parentElement; one !== null && one !== log; one = one.parentElement) {
            if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(one).overflowX)) return true
          }
          return false
        }
        return {
          hacked: [window, ...Array.from(window.frames)].some((one) => Reflect.has(one, "hacked")),
          prototype: Object.keys(Object.prototype).length,
          forbidden: elements
            .filter((element) =>
              element.matches(
                "script, style, link, meta, base, iframe, object, embed, form, img, audio, video, picture, source, track, input, dialog, template, noscript, math, marquee, [style], [src], [srcset], [srcdoc]",
              ),
            )
            .map(({ outerHTML }) => outerHTML.slice(0, 200)),
          handlers: elements.flatMap(({ attributes }) =>
            Array.from(attributes, ({ name: attribute }) => attribute).filter((attribute) =>
              attribute.startsWith("on"),
            ),
          ),
          links: elements
            .filter((element) => element instanceof HTMLAnchorElement)
            .filter(
              ({ protocol, rel, target, username }) =>
                !["http:", "https:", "mailto:"].includes(protocol) ||
                rel !== "noopener noreferrer" ||
                target !== "_blank" ||
                username !== "",
            )
            .map(({ outerHTML }) => outerHTML.slice(0, 200)),
          outside: elements
            .filter((element) => {
              const { left, right, width } = element.getBoundingClientRect()
              return width > 0 && (left < box.left - 1 || right > box.right + 1) && !scrolls(element)
            })
            .map(({ outerHTML }) => outerHTML.slice(0, 200)),
          moved: elements.filter((element) => ["fixed", "sticky"].includes(getComputedStyle(element).position)).length,
          wide: document.documentElement.scrollWidth > innerWidth,
        }
      })
      expect(found).toEqual({
        hacked: false,
        prototype: 0,
        forbidden: [],
        handlers: [],
        links: [],
        outside: [],
        moved: 0,
        wide: false,
      })
      if (shows !== undefined) expect(await chat.replies.first().innerText()).toContain(shows)
      expect(await page.evaluate(() => Reflect.has(window, "hacked"))).toBe(false)
      expect(page.frames().length).toBe(2)
      expect(problems()).toEqual([])
      await photograph(page, `hostile ${name}`)
    },
  )
})
