import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Sealing from "../../src/jobs/Sealing.ts"
import { ModelConnections } from "../../src/storage/models/ModelConnections.ts"
import { ToolHeaders } from "../../src/storage/tools/ToolHeaders.ts"
import { IdentitySecrets } from "../../src/storage/widget/IdentitySecrets.ts"
import { SignInProviders } from "../../src/storage/people/SignInProviders.ts"
import { Webhooks } from "../../src/storage/webhooks/Webhooks.ts"
import { quiet } from "../lib/Layers.ts"

test("headers of tools are encrypted even if the first attempt fails", () =>
  Effect.gen(function* () {
    let tries = 0
    const sealAll = Effect.suspend(() => (++tries < 3 ? Effect.die(new Error("read-only")) : Effect.succeed(0)))
    const headers = Layer.mock(ToolHeaders)({ sealAll, key: undefined })
    const identities = Layer.mock(IdentitySecrets)({ sealAll: Effect.succeed(0) })
    const providers = Layer.mock(SignInProviders)({ sealAll: Effect.succeed(0) })
    const connections = Layer.mock(ModelConnections)({ sealAll: Effect.succeed(0) })
    const webhooks = Layer.mock(Webhooks)({ sealAll: Effect.succeed(0) })
    yield* Layer.build(Sealing.layer.pipe(Layer.provide([headers, identities, providers, connections, webhooks])))
    yield* TestClock.adjust("1 hour")
    expect(tries).toBe(3)
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), quiet]), Effect.runPromise))
