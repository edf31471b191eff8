import { type Answer, call } from "../server/Api.ts"
import { resources } from "../server/Resource.ts"

export type Person = Answer<"GET /api/admin/people">["people"][number]
export type PersonRole = Person["roles"][number]
export type PersonSession = Answer<"GET /api/console/sessions">["sessions"][number]

/** The people of the organization by name, those that were removed too. */
export const allPeople = resources(async () => (await call("GET /api/admin/people")).people)

export const roleWords: Readonly<Record<PersonRole["role"], string>> = {
  owner: "Owner",
  admin: "Administrator",
  editor: "Editor",
  agent: "Agent",
  viewer: "Viewer",
}
