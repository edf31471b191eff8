import { Finding } from "../../parts/Layout.tsx"
import { type Answer, call } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"

/** The findings of the server's checks, which take seconds. */
export const serverChecks = resources(async () => (await call("GET /api/admin/system/checks")).checks)

interface CheckListProps {
  readonly checks: Answer<"GET /api/admin/system/checks">["checks"]
  /** Leaves out the checks of other parts of the server, and this name. */
  readonly part?: string
}

const kinds = { ok: "good", note: "warn", wrong: "bad" } as const

export const CheckList = ({ checks, part: only }: CheckListProps) => (
  <ul class="stack tight">
    {checks
      .filter(({ part }) => only === undefined || part === only)
      .map(({ part, state, text }) => (
        <Finding key={`${part} ${text}`} kind={kinds[state]}>
          <div>
            {only === undefined && <strong>{part} </strong>}
            {text}
          </div>
        </Finding>
      ))}
  </ul>
)
