import { Context, Duration, Effect, Schema } from "effect"
import { expect } from "bun:test"
import { ProviderTimeout } from "../../../src/identity/OpenId.ts"
import { SessionChecksInterval } from "../../../src/jobs/SessionChecks.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { Client } from "../Client.ts"
import { startServer, type TestServer } from "../TestServer.ts"
import { Browser, type Page } from "./Browser.ts"

/** Starts a server that may call providers of this machine, and looks for sessions to check all the time. */
export const startSignInServer = (timeout = Duration.seconds(30)) =>
  startServer(
    { TOOL_PRIVATE_NETWORKS: "127.0.0.0/8" },
    Context.make(SessionChecksInterval, Duration.millis(50)).pipe(Context.add(ProviderTimeout, timeout)),
  )

const Provider = Schema.Struct({ provider: Schema.Struct({ id: Schema.String, redirect_uri: Schema.String }) })

export type AddedProvider = (typeof Provider.Type)["provider"]

/** Adds a provider to the organization of a client. */
export const addProvider = async (
  client: Client,
  issuer: string,
  { client_id, client_secret }: { readonly client_id: string; readonly client_secret: string },
  role_mappings: ReadonlyArray<object>,
): Promise<AddedProvider> => {
  const json = { name: "Staff", issuer, client_id, client_secret, roles_claim: "groups", role_mappings }
  const { body, status } = await client.post("/api/admin/sign-in-providers", { json })
  expect(status).toBe(201)
  return Schema.decodeUnknownSync(Provider)(body).provider
}

const isOfConsole = ({ pathname }: URL) => pathname === "/console" || pathname.startsWith("/console/")

/** What a browser does at the server and at a real provider. */
export const visitorOf = ({ url }: TestServer, browser = new Browser()) => {
  const ours = { "sec-fetch-site": "same-origin" }
  const begin = (provider: AddedProvider, query: Record<string, string> = {}) =>
    browser.open(`${url}/api/console/providers/${provider.id}/sign-in?${new URLSearchParams(query)}`, {}, isOfConsole)
  return {
    browser,
    begin,

    /** Signs somebody in by the provider's own forms. Returns the page of the console at which the browser arrives. */
    signIn: async (provider: AddedProvider, name: string, query?: Record<string, string>): Promise<URL> => {
      let page: Page = await begin(provider, query)
      for (let forms = 0; forms < 3 && !isOfConsole(page.url); forms++) {
        page = await browser.submit(page, { login: name, password: "any" }, isOfConsole)
      }
      return page.url
    },

    /** Sends a request as the console's own pages do. */
    ask: async (method: "DELETE" | "GET", path: string) => {
      const response = await browser.fetch(`${url}${path}`, { method, headers: ours })
      return { status: response.status, body: Object(await response.json()) }
    },
  }
}

/** Makes the sessions of an organization look as if they were checked so many minutes ago. */
export const age = (server: TestServer, minutes: number) =>
  server.query(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      yield* sql`
        update person_sessions set tried_at = null, checked_at = now() - ${minutes}::float8 * interval '1 minute'`
    }),
  )
