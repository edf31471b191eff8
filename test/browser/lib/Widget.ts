import type { Frame, FrameLocator, Locator, Page } from "playwright-core"

/*
 * The widget as its visitor meets it: found by roles and names, and not by what it is made of.
 */

/** The button that opens the chat. */
export const launcher = (page: Page): Locator => page.locator("button[aria-controls=panel]")

/** The content of the widget's frame. */
export const inFrame = (page: Page): FrameLocator => page.frameLocator("iframe")

/** The widget's frame, for what axe and scripts ask of it. */
export const frameOf = (page: Page): Frame => {
  const frame = page.frames().find((one) => one.parentFrame() !== null)
  if (frame === undefined) throw new Error("The page has no frame")
  return frame
}

/** Waits until the composer has the focus: a key that is pressed while the focus moves into a frame may reach nobody. */
export const focused = (frame: Frame | Page): Promise<unknown> =>
  frame.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA" && document.hasFocus())

/** Calls a method of `window.Parley` on the host's page, once it is there. */
export const call = async (page: Page, method: string, ...values: ReadonlyArray<string>): Promise<void> => {
  await page.waitForFunction(() => window.Parley !== undefined)
  await page.evaluate(([name, given]) => Reflect.get(window.Parley ?? {}, name)(...given), [method, values] as const)
}

/** The widget, in the frame of a page or as a page of its own. */
export class Chat {
  readonly page: Page
  readonly within: FrameLocator | Page

  constructor(page: Page, within: FrameLocator | Page = inFrame(page)) {
    this.page = page
    this.within = within
  }

  /** Opens a page of the host, and the chat on it unless it was open before. */
  static async open(page: Page, address: string): Promise<Chat> {
    await page.goto(address)
    if ((await launcher(page).getAttribute("aria-expanded")) === "false") await launcher(page).click()
    const chat = new Chat(page)
    await chat.composer.waitFor()
    return chat
  }

  /** The document of the widget, for axe and for scripts. */
  get document(): Frame | Page {
    return this.within === this.page ? this.page : frameOf(this.page)
  }

  get composer(): Locator {
    return this.within.locator("textarea").last()
  }

  /** A button by its name. */
  button(name: string | RegExp): Locator {
    return this.within.getByRole("button", { name })
  }

  async ask(text: string): Promise<void> {
    await this.composer.fill(text)
    await this.composer.press("Enter")
  }

  /** A message by a part of its text, and never what a screen reader is told of it for a moment. */
  message(text: string): Locator {
    return this.within.locator("article", { hasText: text })
  }

  get replies(): Locator {
    return this.within.locator("article[data-phase]")
  }

  /** Waits until so many replies have ended, and returns the last one's text. */
  async reply(count = 1): Promise<string> {
    const last = this.replies.nth(count - 1)
    await this.within
      .locator("article[data-phase][aria-busy=false]")
      .nth(count - 1)
      .waitFor()
    return words(await last.locator(".markdown").first().innerText())
  }

  /** Asks and waits for the reply. */
  async exchange(text: string, count = 1): Promise<string> {
    await this.ask(text)
    return this.reply(count)
  }
}

/** A text without what its layout adds. */
export const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim()
