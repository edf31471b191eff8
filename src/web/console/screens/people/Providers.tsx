import { Plus } from "lucide"
import { useState } from "preact/hooks"
import { plural } from "../../../shared/Format.ts"
import { randomUuid } from "../../../shared/Random.ts"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { Json } from "../../parts/Copy.tsx"
import { confirmDeletion, FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Loaded, Section } from "../../parts/Layout.tsx"
import { toast } from "../../parts/Toast.ts"
import { type Answer, call, request } from "../../server/Api.ts"
import { drop, put, resources, useResource } from "../../server/Resource.ts"
import { serverAddress } from "../../server/Root.ts"
import { RoleFields } from "./RoleFields.tsx"

type Provider = Answer<"GET /api/admin/sign-in-providers">["providers"][number]

export const allProviders = resources(async () => (await call("GET /api/admin/sign-in-providers")).providers)

interface ProviderDialogProps {
  readonly item?: Provider
  readonly etag?: string | undefined
}

const mapping: Provider["role_mappings"][number] = { value: "", role: "viewer", chatbot_id: null }

const ProviderDialog = ({ etag, item }: ProviderDialogProps) => {
  // The provider's client has to know the address before it gives its id and its secret.
  const [id] = useState(() => item?.id ?? randomUuid())
  const redirectUri = item?.redirect_uri ?? `${serverAddress()}/api/console/providers/${id}/callback`
  const { draft, of } = useDraft({
    name: item?.name ?? "",
    issuer: item?.issuer ?? "",
    client_id: item?.client_id ?? "",
    client_secret: "",
    roles_claim: item?.roles_claim ?? "groups",
    role_mappings: item?.role_mappings ?? [mapping],
  })
  const submit = async (): Promise<void> => {
    const { client_secret, issuer, ...rest } = draft
    const { provider } =
      item === undefined
        ? await call("POST /api/admin/sign-in-providers", { body: { ...draft, id } })
        : await call("PATCH /api/admin/sign-in-providers/:providerId", {
            params: { providerId: item.id },
            body: { ...rest, ...(client_secret !== "" && { client_secret }) },
            ifMatch: etag,
          })
    put(allProviders(), provider)
    toast(`${provider.name} ${item === undefined ? "added" : "updated"}.`)
    if (provider.redirect_uri !== redirectUri) toast(`Its client has to allow ${provider.redirect_uri}.`)
  }
  return (
    <FormDialog
      title={item === undefined ? "Add sign-in provider" : `Edit ${item.name}`}
      action={item === undefined ? "Add provider" : "Save"}
      wide
      onSubmit={submit}
    >
      <Json label="Redirect URI for the provider's client" value={redirectUri} />
      <div class="columns">
        <TextField label="Name" hint="On the button to sign in." {...of("name")} maxLength={200} required />
        <TextField
          label="Issuer"
          type="url"
          placeholder="https://login.example.com"
          hint={item === undefined ? "OpenID Connect." : "An issuer does not change. Add another provider instead."}
          {...of("issuer")}
          disabled={item !== undefined}
          required
        />
        <TextField label="Client ID" {...of("client_id")} spellcheck={false} required />
        <TextField
          label="Client secret"
          type="password"
          autocomplete="off"
          hint={item === undefined ? "Never shown again." : "Leave empty to keep it."}
          {...of("client_secret")}
          required={item === undefined}
        />
        <TextField label="Claim with groups or roles" {...of("roles_claim")} spellcheck={false} required />
      </div>
      <RoleFields legend="Roles by values of the claim" first={mapping} {...of("role_mappings")} />
      <p class="soft small">People without one of these values, and without a role by hand, cannot sign in.</p>
    </FormDialog>
  )
}

const edit = async ({ id: providerId }: Provider): Promise<void> => {
  const { body, etag } = await request("GET /api/admin/sign-in-providers/:providerId", { params: { providerId } })
  openDialog(<ProviderDialog item={body.provider} etag={etag} />)
}

const remove = ({ id, name }: Provider): Promise<void> =>
  confirmDeletion(
    name,
    "People who signed in by this provider are signed out, and need another way to sign in. This cannot be undone.",
    async () => {
      await call("DELETE /api/admin/sign-in-providers/:providerId", { params: { providerId: id } })
      drop(allProviders(), id)
    },
    { action: "Delete provider" },
  )

/** The providers by which people sign in. */
export const Providers = () => (
  <Section
    title="Sign-in providers"
    about="People sign in with your identity provider by OpenID Connect, such as Keycloak, Entra ID, Okta or Google."
    actions={
      <Button icon={Plus} onClick={() => openDialog(<ProviderDialog />)}>
        Add provider
      </Button>
    }
  >
    <Loaded of={useResource(allProviders())} empty={<p class="soft">No providers. People sign in with passkeys.</p>}>
      {(all) => (
        <ul class="rows" aria-label="Sign-in providers">
          {all.map((provider) => (
            <li key={provider.id} class="session row nowrap apart">
              <div class="anywhere">
                <p>
                  <strong>{provider.name}</strong>
                </p>
                <p class="soft small">
                  {provider.issuer} · {plural(provider.role_mappings.length, "role mapping")}
                </p>
              </div>
              <Menu
                label={`Actions for ${provider.name}`}
                items={[changeItem(() => edit(provider)), deleteItem(() => remove(provider))]}
              />
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  </Section>
)
