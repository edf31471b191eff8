import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import list from "icon:list"
import { formatMoment, plural } from "../../../shared/Format.ts"
import { call } from "../../Api.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Empty, Problem, Skeleton } from "../../parts/States.tsx"
import { Table } from "../../parts/Table.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { deliveriesOf, type Delivery, eventWords, outcomeOf, type Webhook } from "./WebhookData.ts"

const kinds = { waiting: "busy", delivered: "good", failed: "bad", dropped: "plain" } as const

/** How far back failed deliveries are sent again: as long as the server usually keeps them. */
const DAYS = 14
const DAY_MILLIS = 86_400_000

interface DeliveriesProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

/** The latest deliveries of a webhook, which can be sent again. */
export const Deliveries = ({ onClose, webhook }: DeliveriesProps) => {
  const shown = useSignal<ReadonlyArray<Delivery> | undefined>(undefined)
  const next = useSignal<string | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const load = async (cursor?: string): Promise<void> => {
    try {
      const { deliveries, next_cursor } = await deliveriesOf(webhook.id, cursor)
      shown.value = cursor === undefined ? deliveries : [...(shown.value ?? []), ...deliveries]
      next.value = next_cursor ?? undefined
      failure.value = undefined
    } catch (error) {
      failure.value = toFailure(error)
    }
  }
  useEffect(() => void load(), [webhook.id])
  const resend = async (one: Delivery): Promise<void> => {
    try {
      const { delivery } = await call("POST /api/external/webhooks/:webhookId/deliveries/:deliveryId/resend", {
        params: { webhookId: webhook.id, deliveryId: one.id },
      })
      shown.value = shown.value?.map((each) => (each.id === delivery.id ? delivery : each))
      toast("It is sent again.")
    } catch (error) {
      toastFailure(error)
    }
  }
  const resendFailed = async (): Promise<void> => {
    try {
      const { resent } = await call("POST /api/external/webhooks/:webhookId/deliveries/resend", {
        params: { webhookId: webhook.id },
        body: { since: new Date(Date.now() - DAYS * DAY_MILLIS).toISOString() },
      })
      toast(resent === 0 ? "None has failed." : `${plural(resent, "delivery", "deliveries")} are sent again.`)
      await load()
    } catch (error) {
      toastFailure(error)
    }
  }
  return (
    <Dialog title="Deliveries" kind="drawer" wide onClose={onClose}>
      <div class="stack">
        <p class="soft ellipsis">{webhook.url}</p>
        <p class="row">
          <Button small onClick={() => void load()}>
            Reload
          </Button>
          <Button small disabled={!webhook.active} onClick={() => void resendFailed()}>
            Send all that failed again
          </Button>
        </p>
        {failure.value !== undefined && <Problem failure={failure.value} onRetry={() => void load()} />}
        {shown.value === undefined && failure.value === undefined && <Skeleton />}
        {shown.value?.length === 0 && (
          <Empty icon={list} title="No deliveries yet">
            Each event that the webhook gets is listed here, with the endpoint's answer.
          </Empty>
        )}
        {shown.value !== undefined && shown.value.length > 0 && (
          <Table
            label="Latest deliveries"
            rows={shown.value}
            keyOf={({ id }) => id}
            columns={[
              { title: "Event", kind: "main", cell: ({ type }) => eventWords[type] },
              { title: "When", cell: ({ created_at }) => formatMoment(created_at) },
              { title: "State", cell: ({ state }) => <Badge kind={kinds[state]}>{state}</Badge> },
              { title: "Attempts", kind: "number", isExtra: true, cell: ({ attempts }) => attempts },
              {
                title: "Answer",
                isExtra: true,
                cell: (delivery) => <span title={delivery.response ?? undefined}>{outcomeOf(delivery)}</span>,
              },
              {
                title: "Actions",
                kind: "actions",
                cell: (delivery) => (
                  <Button
                    small
                    disabled={!webhook.active || delivery.state === "waiting"}
                    onClick={() => void resend(delivery)}
                  >
                    Send again
                  </Button>
                ),
              },
            ]}
          />
        )}
        {next.value !== undefined && (
          <p>
            <Button onClick={() => void load(next.value)}>Earlier ones</Button>
          </p>
        )}
      </div>
    </Dialog>
  )
}
