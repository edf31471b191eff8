import { Effect } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import { type HeadersState, ToolHeaders } from "../../storage/ToolHeaders.ts"
import { SECRETS_KEY } from "../../system/Variables.ts"
import { count, note, ok, wrong } from "./Check.ts"

/** Reports the keys that secrets are encrypted with. */
export const secretsCheck = Effect.gen(function* () {
  const { examine, key } = yield* ToolHeaders
  return (yield* examine).map((headers) => ofHeaders(headers, key))
})

/** Reports the headers of tools in one state. `first` is the id of the key that encrypts, if one is configured. */
const ofHeaders = ({ key, state, tools }: HeadersState, first: string | undefined): Finding => {
  const which = `headers of ${count(tools, "tool")}`
  switch (state) {
    case "open":
      return note(
        "secrets",
        first === undefined
          ? `${which} are stored in plain text; with ${SECRETS_KEY} they would be encrypted`
          : `${which} are not encrypted; a server encrypts them when it starts`,
      )
    case "sealed":
      return key === first
        ? ok("secrets", `${which} encrypted by key ${key}`)
        : note("secrets", `${which} encrypted by key ${key}; a server that starts encrypts them by ${first}`)
    case "unknown key":
      return wrong("secrets", `${which} cannot be decrypted: key ${key} is not in ${SECRETS_KEY}`)
    case "changed":
      return wrong("secrets", `${which} cannot be decrypted: they differ from what key ${key} encrypted`)
  }
}
