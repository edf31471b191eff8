import { Context } from "effect"

/** Id of the request being answered: in the `x-request-id` header, in every log line and in every problem. */
export const RequestId: Context.Reference<string> = Context.Reference("parley/api/RequestId", {
  defaultValue: () => "",
})
