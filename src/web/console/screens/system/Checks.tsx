import { Finding } from "../../parts/Layout.tsx"
import { type Answer, call } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"

/** The findings of the server's checks, which take seconds. */
export const serverChecks = resources(async () => (await call("GET /api/admin/system/checks")).checks)

const kinds = { ok: "good", note: "warn", wrong: "bad" } as const

export const CheckList = ({ checks }: { readonly checks: Answer<"GET /api/admin/system/checks">["checks"] }) => (
  <ul class="stack tight">
    {checks.map(({ part, state, text }) => (
      <Finding key={`${part} ${text}`} kind={kinds[state]}>
        <div>
          <strong>{part}</strong> {text}
        </div>
      </Finding>
    ))}
  </ul>
)
