import { chatbotResource } from "../../data/Chatbots.ts"
import { connectFound, foundServers, giveModel, modelSources, QUOTING } from "../../data/Models.ts"
import { Button } from "../../parts/Buttons.tsx"
import { attempt, toast } from "../../parts/Toast.ts"
import { href } from "../../Router.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"

/** The models that are offered by a button of their own. */
const OFFERED_MAX = 3

/** A model that is offered, with what makes it usable. */
interface Offer {
  readonly model: string
  readonly take: () => Promise<string | undefined>
}

const useOffers = (): ReadonlyArray<Offer> => {
  const sources = useResource(modelSources()).data.value ?? []
  const found = useResource(foundServers()).data.value ?? []
  const connected = sources.flatMap(({ models, origin }) => (origin === "built_in" ? [] : models))
  const near = found.flatMap((server) =>
    server.models.map(({ model }) => ({
      model,
      take: async () => {
        const source = await connectFound(server)
        return source && `${source.name}/${model}`
      },
    })),
  )
  // Of a provider's hundreds, the settings have the list.
  const own = connected.length > OFFERED_MAX ? [] : connected
  return [...own.map(({ model }) => ({ model, take: async () => model })), ...near].slice(0, OFFERED_MAX)
}

interface ModelOfferProps {
  readonly chatbotId: string
}

/** Offers a language model to a chatbot that quotes its documents, for as long as it does, to those who may change it. */
export const ModelOffer = ({ chatbotId }: ModelOfferProps) =>
  can("chatbots:write", chatbotId) ? <WhileQuoting chatbotId={chatbotId} /> : null

const WhileQuoting = ({ chatbotId }: ModelOfferProps) => {
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  return chatbot?.settings.model === QUOTING ? <Offers chatbotId={chatbotId} /> : null
}

const Offers = ({ chatbotId }: ModelOfferProps) => {
  const offers = useOffers()
  const hasOthers = (modelSources().data.value ?? []).some(
    ({ models, origin }) => origin !== "built_in" && models.length > 0,
  )
  const take = (offer: Offer) =>
    attempt(async () => {
      const model = await offer.take()
      if (model !== undefined) toast(await giveModel(chatbotId, model))
    })
  return (
    <div class="box offer row" role="note">
      <p>This chatbot only quotes its documents. With a language model it answers in words of its own.</p>
      {offers.map((offer) => (
        <Button key={offer.model} small onClick={() => take(offer)}>
          {`Use ${offer.model}`}
        </Button>
      ))}
      {hasOthers && (
        <a class="button quiet small" href={href("settings", { chatbotId })}>
          Choose a model
        </a>
      )}
      {can("admin", null) && (
        <a class="button quiet small" href={href("models", {})}>
          Connect a model
        </a>
      )}
    </div>
  )
}
