import type { Explanation } from "../server/Failure.ts"
import { can } from "../server/Session.ts"

/** Why a language model did not answer, and what to do. Visitors never see it. */
export const Explained = ({ of }: { readonly of: Explanation | undefined }) =>
  of === undefined ? null : (
    <div class="small anywhere">
      <p class="soft" dir="auto">
        {of.reason}
      </p>
      <p>
        {of.advice}
        {!can("chatbots:write") && " Tell somebody who manages this chatbot."}
      </p>
    </div>
  )
