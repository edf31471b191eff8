import { expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { images, pdfOf } from "../lib/Files.ts"
import { becomes, inspect, startSuite } from "./lib/Suite.ts"
import { Chat } from "./lib/Widget.ts"

const { model, server, site, visit } = await startSuite()

visit("a visitor sends an image and a PDF, and finds them again", async ({ expects, layoutShift, page }) => {
  expects(/status of 422/)
  model.answers(() => says("A dot."))
  const bot = await server.api.newChatbot({ name: "Harbour", settings: { attachments: true } })
  const chat = await Chat.open(page, site.page({ "data-key": bot.id }))
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    chat.within.locator("input[type=file]").setInputFiles({ name, mimeType, buffer })
  await choose("form.pdf", "application/pdf", pdfOf("<< /S /JavaScript /JS (app.alert(1)) >>"))
  await chat.within.getByText("Images and PDFs of up to 10 MB").waitFor()
  await becomes(() => chat.button("Send").isDisabled(), true)
  await chat.button("Delete: form.pdf").click()
  await choose("dot.png", "image/png", images.png)
  await chat.within.getByRole("img", { name: "dot.png" }).waitFor()
  await choose("order.pdf", "application/pdf", pdfOf())
  await chat.within.getByText("order.pdf", { exact: true }).waitFor()
  await inspect(page, "widget-attaching", chat.document)
  await chat.button("Send").click()
  expect(await chat.reply()).toBe("A dot.")
  const image = chat.within.getByRole("link", { name: "dot.png" }).getByRole("img")
  await becomes(() => image.evaluate((element) => element instanceof HTMLImageElement && element.naturalWidth), 1)
  await inspect(page, "widget-attachments", chat.document)
  expect(await layoutShift()).toBe(0)
  await page.reload()
  expect(await chat.reply()).toBe("A dot.")
  await chat.within.getByRole("link", { name: "dot.png" }).waitFor()
  await chat.within.getByRole("link", { name: "order.pdf" }).waitFor()
})
