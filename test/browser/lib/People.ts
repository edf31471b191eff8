import type { Page } from "playwright-core"
import type { Api } from "./Api.ts"

/*
 * People at the console: passkeys need an authenticator, which the browser plays.
 */

/** Gives the browser of a page a device that holds passkeys, and whose owner always agrees. */
export const withPasskeys = async (page: Page): Promise<void> => {
  const client = await page.context().newCDPSession(page)
  await client.send("WebAuthn.enable")
  await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Signs a new person in at the console of a page, which has to be on `localhost`: passkeys do not know numeric addresses. */
export const signInPerson = async (
  page: Page,
  api: Api,
  origin: string,
  name: string,
  roles: ReadonlyArray<{ readonly role: string; readonly chatbot_id: string | null }> = [
    { role: "agent", chatbot_id: null },
  ],
): Promise<void> => {
  const { invitation } = await api.post("/api/admin/people", { name, roles })
  const token = decodeURIComponent(String(invitation.link).split("#invitation=")[1] ?? "")
  await withPasskeys(page)
  await page.goto(`${origin}/docs`)
  await page.evaluate(async (invited) => {
    const send = async (path: string, body: unknown) => {
      const response = await fetch(`/api/console/invitations${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(await response.text())
      return response.json()
    }
    const { options } = await send("/options", { token: invited })
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const credential = await navigator.credentials.create({ publicKey })
    await send("", { token: invited, credential })
  }, token)
}
