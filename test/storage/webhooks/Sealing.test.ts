import { afterAll, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { Webhooks } from "../../../src/storage/webhooks/Webhooks.ts"
import { Secrets } from "../../../src/system/Secrets.ts"
import { keyOf, secretsWith, withKeys } from "../../lib/Keys.ts"
import { platform, quiet, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const it = effectTests(runtime.runPromise)
afterAll(() => runtime.dispose())

const [old, current] = [keyOf(1), keyOf(2)]
/** The wait for a rotation that is held up, in milliseconds. In a shorter one, this test would just try less. */
const A_WHILE = 200

it("the secret of a webhook that another server rotates while this one encrypts it again stays rotated", function* () {
  const { organization } = yield* makeTenant
  const id = WebhookId.make(yield* newId)
  const content = { url: "https://example.com", description: "", events: [], active: true }
  const onOldServer = <A, E>(use: (webhooks: Webhooks["Service"]) => Effect.Effect<A, E, never>) =>
    withKeys(old)(Webhooks.use(use))
  yield* onOldServer(({ insert }) => as(organization)(insert(id, undefined, content, Redacted.make("first"), 10)))

  let rotated: Promise<unknown> | undefined
  const rotateMeanwhile = Layer.effect(
    Secrets,
    Effect.map(Secrets, (secrets) => ({
      ...secrets,
      open: (...sealed: Parameters<typeof secrets.open>) =>
        Effect.andThen(
          Effect.promise(async () => {
            rotated ??= runtime.runPromise(
              onOldServer(({ rotate }) =>
                as(organization)(rotate(id, null, Redacted.make("second"), Duration.hours(1))),
              ),
            )
            await Promise.race([rotated, Bun.sleep(A_WHILE)])
          }),
          secrets.open(...sealed),
        ),
    })),
  ).pipe(Layer.provide(secretsWith(current, old)))
  yield* Effect.provide(
    Webhooks.use(({ sealAll }) => sealAll),
    Layer.fresh(Layer.provide(Webhooks.layer, rotateMeanwhile)),
  )
  yield* Effect.promise(() => rotated ?? Promise.reject(new Error("Nothing was encrypted again")))

  const secrets = yield* withKeys(
    current,
    old,
  )(Webhooks.use(({ signTest }) => Effect.flatMap(as(organization)(signTest(id, null)), (signing) => signing.secrets)))
  expect(secrets.map(Redacted.value)).toEqual(["second", "first"])
})
