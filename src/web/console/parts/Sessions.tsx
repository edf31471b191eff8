import type { PersonSession } from "../data/People.ts"
import { type Resource, useResource } from "../server/Resource.ts"
import { Button } from "./Buttons.tsx"
import { Ago, Badge, Loaded } from "./Layout.tsx"
import { attempt } from "./Toast.ts"

/** Marks of browsers and systems in a `User-Agent`, those first that name others too. */
const browsers = { "Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari" }
const systems = {
  Android: "Android",
  iPhone: "iPhone",
  iPad: "iPad",
  Windows: "Windows",
  "Mac OS": "macOS",
  Linux: "Linux",
}

/** The browser and the system that a `User-Agent` names, such as `Firefox on Windows`. */
export const browserOf = (userAgent: string | null): string =>
  [browsers, systems]
    .flatMap((known) => Object.entries(known).find(([mark]) => userAgent?.includes(mark))?.[1] ?? [])
    .join(" on ") || "Unknown browser"

interface SessionsProps {
  readonly of: Resource<ReadonlyArray<PersonSession>>
  readonly end: (sessionId: string) => Promise<unknown>
}

/** The browsers in which a person is signed in, each of which can be signed out. */
export const Sessions = ({ end, of }: SessionsProps) => {
  const endNow = (id: string): Promise<void> =>
    attempt(async () => {
      await end(id)
      await of.reload()
    }, "Session ended.")
  return (
    <Loaded of={useResource(of)} empty={<p class="soft">Not signed in anywhere.</p>}>
      {(all) => (
        <ul class="rows" aria-label="Sessions">
          {all.map(({ address, id, is_current, last_used_at, user_agent }) => (
            <li key={id} class="session row nowrap apart">
              <div class="anywhere">
                <p>
                  {browserOf(user_agent)} {is_current && <Badge kind="good">This session</Badge>}
                </p>
                <p class="soft small">
                  {address !== null && `${address} · `}last used <Ago at={last_used_at} />
                </p>
              </div>
              {!is_current && (
                <Button small onClick={() => endNow(id)}>
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}
