import { expect, test } from "bun:test"
import { Effect, Layer, Redacted } from "effect"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { signingSecrets } from "../../../src/storage/webhooks/WebhookSecrets.ts"
import { Secrets } from "../../../src/system/Secrets.ts"
import { platform } from "../../lib/Layers.ts"

test("a secret before that cannot be decrypted keeps no delivery from being signed by the present one", () =>
  Effect.gen(function* () {
    const opened = yield* signingSecrets(yield* Secrets, {
      id: WebhookId.make(crypto.randomUUID()),
      organization_id: OrganizationId.make(crypto.randomUUID()),
      secret: "whsec_eA==",
      sealed: null,
      sealed_by: null,
      old_secret: null,
      old_sealed: new Uint8Array(64),
      old_sealed_by: "a key that is gone",
      is_rotating: true,
    })
    expect(opened.map(Redacted.value)).toEqual(["whsec_eA=="])
  }).pipe(Effect.provide(Layer.provide(Secrets.layer({ keys: undefined }), platform)), Effect.runPromise))
