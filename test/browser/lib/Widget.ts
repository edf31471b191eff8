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

/** Calls a method of `window.Parley` on the host's page, once it is there. */
export const call = (page: Page, method: string, ...values: ReadonlyArray<string>): Promise<void> =>
  page
    .waitForFunction(() => window.Parley !== undefined)
    .then(() =>
      page.evaluate(([name, given]) => Reflect.get(window.Parley ?? {}, name)(...given), [method, values] as const),
    )
