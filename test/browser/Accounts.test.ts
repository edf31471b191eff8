import { afterAll, describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { startModel } from "./lib/Model.ts"
import { withPasskeys } from "./lib/People.ts"
import { startServer } from "./lib/Process.ts"
import { goingOn, inspect, painted, startBrowser } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"

const model = await startModel()
const server = await startServer(model.url, { BOOTSTRAP_API_KEY: "", TOOL_PRIVATE_NETWORKS: "127.0.0.1/32" })
// Passkeys belong to a name, and not to an IP address.
const url = server.url.replace("127.0.0.1", "localhost")
const { open, visit } = await startBrowser([url, server.url])
const link = readFileSync(join(server.dataDirectory, "first-sign-in"), "utf8").trim().replace("127.0.0.1", "localhost")
Object.assign(server.api, { key: readFileSync(join(server.dataDirectory, "first-api-key"), "utf8").trim() })
const harbour = await server.api.newChatbot({ name: "Harbour" })
const museum = await server.api.newChatbot({ name: "Museum" })

const owner = await open()
const editor = await open()
afterAll(async () => {
  await server.stop()
  model.stop()
})

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name })

const settled = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => document.querySelector("[aria-busy=true], .skeleton") === null)
  await painted(page)
}

const choose = async (page: Page, menu: string, action: string): Promise<void> => {
  await button(page, menu).click()
  await page.locator("[popover]:popover-open").getByRole("button", { name: action }).click()
}

const asOwner = goingOn(owner)
const asEditor = goingOn(editor)

describe("the first person", () => {
  asOwner("makes an account with a passkey from the console that the first link has opened", async ({ page }) => {
    await withPasskeys(page)
    await page.goto(link)
    await heading(page, "Home").waitFor()
    await settled(page)
    await inspect(page, "people-banner")
    await button(page, "Create your account").click()
    await page.getByLabel("Name").fill("Ada Lovelace")
    await button(page, "Continue").click()
    await button(page, "Create a passkey").waitFor()
    expect(page.url()).not.toContain("invitation")
    await inspect(page, "people-invitation")
    await button(page, "Create a passkey").click()
    await heading(page, "Home").waitFor()
    await page.getByText("Ada Lovelace").waitFor()
    expect(await button(page, "Create your account").count()).toBe(0)
  })

  asOwner("signs out, and in again with the passkey", async ({ expects, page }) => {
    // What follows the inbox may be on its way then.
    expects(/status of 401/)
    await choose(page, "Account", "Sign out")
    await button(page, "Sign in with a passkey").waitFor()
    await inspect(page, "people-sign-in")
    await button(page, "Sign in with a passkey").click()
    await page.getByText("Ada Lovelace").waitFor()
  })

  asOwner("sees who they are and where they are signed in", async ({ page }) => {
    await choose(page, "Account", "Your account")
    const dialog = page.getByRole("dialog", { name: "Your account" })
    await dialog.getByText("This session").waitFor()
    expect(await dialog.getByText("Owner", { exact: true }).count()).toBe(1)
    await inspect(page, "people-account")
    await page.keyboard.press("Escape")
  })
})

let invitation = ""

describe("an editor of one chatbot", () => {
  asOwner("is invited by a link that is shown once", async ({ page }) => {
    await page.goto(`${url}/console/people`)
    await button(page, "Invite").click()
    await page.getByLabel("Name").fill("Grace Hopper")
    await page.getByRole("combobox", { name: "Role" }).selectOption({ label: "Editor" })
    await page.getByRole("combobox", { name: "For" }).selectOption({ label: "Harbour" })
    await inspect(page, "people-invite")
    await button(page, "Create invitation").click()
    const dialog = page.getByRole("dialog", { name: "Invitation for Grace Hopper" })
    invitation = ((await dialog.locator("code").textContent()) ?? "").replace("127.0.0.1", "localhost")
    expect(invitation).toStartWith(`${url}/console#invitation=`)
    await button(page, "Done").click()
    await page.getByRole("cell", { name: "Editor of Harbour" }).waitFor()
    await inspect(page, "people")
  })

  asEditor("accepts the invitation with a passkey in another browser", async ({ expects, page }) => {
    expects(/status of 40/)
    await withPasskeys(page)
    await page.goto(invitation)
    await page.getByLabel("Your name").fill("Grace Brewster Hopper")
    await button(page, "Create a passkey").click()
    await page.getByText("Grace Brewster Hopper").waitFor()
    await heading(page, "Home").waitFor()
    await settled(page)
  })

  asEditor("sees that chatbot, and no screen, chatbot or button that the server refuses", async ({ page }) => {
    await page.getByRole("link", { name: "Harbour" }).waitFor()
    for (const name of ["Museum", "People", "Keys", "Webhooks", "Audit log", "Organizations", "System"]) {
      expect({ name, count: await page.getByRole("link", { name, exact: true }).count() }).toEqual({ name, count: 0 })
    }
    expect(await button(page, "New chatbot").count()).toBe(0)
    await inspect(page, "people-editor")
    await page.goto(`${url}/console/people`)
    await heading(page, "No access").waitFor()
  })

  asEditor("changes the settings of the chatbot, and of no other", async ({ expects, page }) => {
    expects(/status of 403/)
    await page.goto(`${url}/console/chatbots/${harbour.id}`)
    await page.getByText("Access", { exact: true }).click()
    await page.getByLabel("Description").fill("Ferries and islands")
    await button(page, "Save").click()
    await page.getByText("Changes saved.").waitFor()
    const { chatbot } = await server.api.get(`/api/external/chatbot/${harbour.id}`)
    expect(chatbot.description).toBe("Ferries and islands")
    await page.getByText("Grace Brewster Hopper (editor)").waitFor()
    await inspect(page, "people-editor-settings")
    await page.goto(`${url}/console/chatbots/${museum.id}`)
    await heading(page, "No access").waitFor()
  })

  asOwner("and the owner see each other's change while both edit", async ({ expects, page }) => {
    expects(/status of 412/)
    const other = editor.page
    await page.goto(`${url}/console/chatbots/${harbour.id}`)
    await other.goto(`${url}/console/chatbots/${harbour.id}`)
    await page.getByLabel("Greeting").fill("Ahoy")
    await other.getByText("Replies", { exact: true }).click()
    await other.getByLabel("Tone").fill("salty")
    await button(other, "Save").click()
    await other.getByText("Changes saved.").waitFor()
    // Another field of the same chatbot is taken over while the owner writes.
    await until(async () => (await page.getByLabel("Tone").inputValue()) === "salty")
    await other.getByLabel("Greeting").fill("Welcome")
    await button(other, "Save").click()
    await button(page, "Save").click()
    const dialog = page.getByRole("dialog", { name: "Grace Brewster Hopper has changed this meanwhile" })
    await dialog.waitFor()
    await inspect(page, "people-clash")
    await dialog.getByRole("radio", { name: /^Theirs/ }).check()
    await button(dialog.page(), "Save").last().click()
    await until(async () => (await page.getByLabel("Greeting").inputValue()) === "Welcome")
  })

  asOwner("is named where something was done", async ({ page }) => {
    await page.goto(`${url}/console/audit-log?action=chatbot.updated`)
    const entry = page.getByRole("row").filter({ hasText: "Grace Brewster Hopper" }).first()
    await entry.getByText("settings, greeting").locator("visible=true").waitFor()
    await inspect(page, "people-audit-log-of-chatbots")
    const object = entry.getByRole("link")
    const name = await object.innerText()
    await object.click()
    await page.getByRole("navigation").getByText(name, { exact: true }).first().waitFor()
  })

  asOwner("is signed out at once when removed", async ({ page }) => {
    editor.expects(/status of 401/)
    await page.goto(`${url}/console/people`)
    await choose(page, "Actions for Grace Brewster Hopper", "Remove…")
    await button(page, "Remove person").click()
    await page.getByText("Grace Brewster Hopper removed.").waitFor()
    await page.getByRole("button", { name: "Actions for Grace Brewster Hopper" }).waitFor({ state: "detached" })
    await button(page, "Removed").click()
    await page.getByRole("rowheader", { name: "Grace Brewster Hopper" }).waitFor()
    await editor.page.getByRole("link", { name: "Knowledge" }).click()
    await editor.page.getByRole("dialog", { name: "Sign in again" }).waitFor()
    await inspect(editor.page, "people-signed-out")
    await button(editor.page, "Sign in with a passkey").click()
    await editor.page.getByRole("alert").waitFor()
  })
})

visit(
  "an invitation says in plain words why the page cannot use passkeys, and when it is used",
  async ({ expects, page }) => {
    expects(/status of 4/)
    await page.goto(invitation)
    await page.getByRole("alert").waitFor()
    await inspect(page, "people-invitation-used")
    const { invitation: next } = await server.api.post("/api/admin/people", {
      name: "Tony",
      roles: [{ role: "viewer", chatbot_id: null }],
    })
    await page.goto("about:blank")
    await page.goto(next.link.replace("localhost", "127.0.0.1"))
    await page.getByText("Passkeys do not work at an IP address.").waitFor()
    await inspect(page, "people-no-passkeys")
  },
)

visit(
  "an administrator reads the audit log of the own organization, and finds no screen of the operator",
  async ({ expects, page }) => {
    expects(/status of 401/)
    const { organization } = await server.api.post("/api/admin/organizations", { name: "Ferries" })
    const { invitation: own } = await server.api.post("/api/admin/people", {
      name: "Edsger",
      organization_id: organization.id,
      roles: [{ role: "admin", chatbot_id: null }],
    })
    await withPasskeys(page)
    await page.goto(own.link.replace("127.0.0.1", "localhost"))
    await page.getByLabel("Your name").fill("Edsger")
    await button(page, "Create a passkey").click()
    await page.getByRole("link", { name: "Audit log", exact: true }).click()
    await page.getByRole("rowheader", { name: "Person invited" }).waitFor()
    await inspect(page, "people-audit-log")
    expect(await page.getByRole("rowheader", { name: "Chatbot created" }).count()).toBe(0)
    for (const name of ["Organizations", "System"])
      expect({ name, count: await page.getByRole("link", { name, exact: true }).count() }).toEqual({ name, count: 0 })
    await page.getByRole("link", { name: "People", exact: true }).click()
    await page.getByLabel("Search people").fill("nobody")
    await page.getByText("No matching people").waitFor()
    await page.getByLabel("Search people").fill("EDS")
    await page.getByRole("rowheader", { name: "Edsger" }).waitFor()
    await inspect(page, "people-search")
  },
)

asOwner("a provider is added with roles by its groups, and offered to sign in", async ({ page }) => {
  await page.goto(`${url}/console/people`)
  await button(page, "Add provider").click()
  const dialog = page.getByRole("dialog", { name: "Add sign-in provider" })
  const redirectUri = /\/api\/console\/providers\/[\da-f-]{36}\/callback/
  const shown = redirectUri.exec((await dialog.getByText(redirectUri).textContent()) ?? "")?.[0]
  for (const [label, text] of [
    ["Name", "Company login"],
    ["Issuer", "http://127.0.0.1:9/realm"],
    ["Client ID", "parley"],
    ["Client secret", "secret"],
    ["Value of the claim", "support"],
  ] as const)
    await dialog.getByLabel(label, { exact: true }).fill(text)
  await inspect(page, "people-provider")
  await dialog.getByRole("button", { name: "Add provider" }).click()
  await page.getByText("1 role mapping").waitFor()
  await inspect(page, "people-providers")
  await choose(page, "Actions for Company login", "Edit…")
  const uri = page.getByRole("dialog", { name: "Edit Company login" }).getByText(redirectUri)
  expect(redirectUri.exec((await uri.textContent()) ?? "")?.[0]).toBe(shown ?? expect.unreachable())
})

visit("a failed sign-in by a provider says why, and leaves the API key as the way in", async ({ expects, page }) => {
  expects(/status of 401/)
  await page.goto(`${url}/console#sign-in-failed=algorithm`)
  await page.getByText("The provider's ID token is signed by HS256, which the provider does not list").waitFor()
  await page.goto(`${url}/console#sign-in-failed=no_role`)
  await page.getByText("You have no role in this organization.").waitFor()
  expect(page.url()).not.toContain("#")
  const provider = page.getByRole("link", { name: "Sign in with Company login" })
  expect(await provider.getAttribute("href")).toMatch(/^\/api\/console\/providers\/[\da-f-]{36}\/sign-in\?/)
  await inspect(page, "people-sign-in-failed")
  await page.getByText("Sign in with an API key").click()
  await page.getByLabel("API key").fill(server.api.key)
  await page.keyboard.press("Enter")
  await heading(page, "Home").waitFor()
})
