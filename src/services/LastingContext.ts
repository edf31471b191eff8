import { Context } from "effect"
import { Caller } from "../domain/Caller.ts"
import { RequestId } from "../domain/RequestId.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { inTraceOf } from "../observability/Traces.ts"

/**
 * The context of what outlives its request: the server's services, and what it needs of the request, whose whole context
 * would keep its body in memory.
 */
export const lastingContext = (
  services: Context.Context<never>,
  request: Context.Context<Caller | CurrentOrganization>,
) =>
  services.pipe(
    Context.add(Caller, Context.get(request, Caller)),
    Context.add(CurrentOrganization, Context.get(request, CurrentOrganization)),
    Context.add(RequestId, Context.get(request, RequestId)),
    inTraceOf(request),
  )
