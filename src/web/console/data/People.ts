import { queryText } from "../Router.ts"
import { type Answer, call, everyPage } from "../server/Api.ts"
import { lists, resources } from "../server/Resource.ts"

export type Person = Answer<"GET /api/admin/people">["people"][number]
export type PersonRole = Person["roles"][number]
export type PersonSession = Answer<"GET /api/console/sessions">["sessions"][number]

/** The people of the organization by name, those that were removed too. */
export const allPeople = resources(() =>
  everyPage(
    (cursor) => call("GET /api/admin/people", { query: { limit: "1000", cursor } }),
    ({ people }) => people,
  ),
)

/** People by name: those whose name or address has a text, who were removed or are there. */
export const peopleOf = lists(async (cursor, search: string, show: string) => {
  const { next_cursor, people } = await call("GET /api/admin/people", {
    query: { search: search || undefined, removed: show === "removed" ? "true" : "false", limit: "100", cursor },
  })
  return { items: people, next: next_cursor }
})

/** The people that the address of their screen names. */
export const shownPeople = () => peopleOf(queryText("search").trim(), queryText("show"))

export const roleWords: Readonly<Record<PersonRole["role"], string>> = {
  owner: "Owner",
  admin: "Administrator",
  editor: "Editor",
  agent: "Agent",
  viewer: "Viewer",
}
