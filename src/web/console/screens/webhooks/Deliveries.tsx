import { List } from "lucide"
import { formatMoment, plural } from "../../../shared/Format.ts"
import { call } from "../../server/Api.ts"
import { Empty, LoadedList, StateBadge } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { Dialog } from "../../parts/Dialogs.tsx"
import { toast } from "../../parts/Toast.ts"
import { useResource } from "../../server/Resource.ts"
import { deliveriesOf, type Delivery, eventWords, outcomeOf, type Webhook } from "./WebhookData.ts"

const states = {
  waiting: { kind: "busy", word: "Waiting" },
  delivered: { kind: "good", word: "Delivered" },
  failed: { kind: "bad", word: "Failed" },
} as const

/** Age of the failed deliveries that are sent again: as long as the server usually keeps them. */
const DAYS = 14
const DAY_MILLIS = 86_400_000

export const Deliveries = ({ webhook }: { readonly webhook: Webhook }) => {
  const list = useResource(deliveriesOf(webhook.id))
  const resend = async ({ id }: Delivery): Promise<void> => {
    const { delivery } = await call("POST /api/external/webhooks/:webhookId/deliveries/:deliveryId/resend", {
      params: { webhookId: webhook.id, deliveryId: id },
    })
    toast("Delivery queued again.")
    const known = list.data.peek()
    if (known === undefined) return
    list.set({ ...known, items: known.items.map((each) => (each.id === delivery.id ? delivery : each)) })
  }
  const resendFailed = async (): Promise<void> => {
    const { resent } = await call("POST /api/external/webhooks/:webhookId/deliveries/resend", {
      params: { webhookId: webhook.id },
      body: { since: new Date(Date.now() - DAYS * DAY_MILLIS).toISOString() },
    })
    toast(resent === 0 ? "No failed deliveries." : `${plural(resent, "delivery", "deliveries")} queued again.`)
    await list.reload()
  }
  return (
    <Dialog title="Deliveries" kind="drawer" wide>
      <p class="soft ellipsis">{webhook.url}</p>
      <p class="row">
        <Button small onClick={list.reload}>
          Refresh
        </Button>
        <Button small disabled={!webhook.active} onClick={resendFailed}>
          Resend all failed
        </Button>
      </p>
      <LoadedList
        of={list}
        empty={
          <Empty icon={List} title="No deliveries yet">
            Events appear here with the endpoint's response.
          </Empty>
        }
      >
        {({ items }) => (
          <Table
            label="Latest deliveries"
            grows
            rows={items}
            columns={[
              { title: "Event", kind: "main", cell: ({ type }) => eventWords[type] },
              { title: "Time", isExtra: true, cell: ({ created_at }) => formatMoment(created_at) },
              { title: "Status", cell: ({ state }) => <StateBadge of={states[state]} /> },
              { title: "Attempts", kind: "number", isExtra: true, cell: ({ attempts }) => attempts },
              {
                title: "Response",
                isExtra: true,
                cell: (delivery) => <span title={delivery.response ?? undefined}>{outcomeOf(delivery)}</span>,
              },
            ]}
            actions={(delivery) => (
              <Button small disabled={!webhook.active || delivery.state === "waiting"} onClick={() => resend(delivery)}>
                Resend
              </Button>
            )}
          />
        )}
      </LoadedList>
    </Dialog>
  )
}
