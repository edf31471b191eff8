import { Link, MonitorSmartphone, Plus, UserMinus, Users } from "lucide"
import { plural } from "../../../shared/Format.ts"
import { useRoleWords } from "../../data/Admin.ts"
import { type Person, shownPeople } from "../../data/People.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Button, changeItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { SearchField } from "../../parts/Field.tsx"
import { Ago, Badge, Empty, LoadedList, Page, Tabs } from "../../parts/Layout.tsx"
import { Table } from "../../parts/Table.tsx"
import { bindOption, bindQuery, useAsked } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { useResource } from "../../server/Resource.ts"
import { session } from "../../server/Session.ts"
import { FirstPerson } from "./FirstPerson.tsx"
import { editPerson, invite, inviteAgain, showSessions } from "./PersonDialog.tsx"
import { Providers } from "./Providers.tsx"

const remove = ({ id, name }: Person): Promise<void> =>
  confirmed(
    {
      title: `Remove ${name}?`,
      text: `${name} is signed out everywhere within a second, and their conversations wait for somebody else. What they did keeps their name. This cannot be undone.`,
      action: "Remove person",
    },
    async () => {
      await call("DELETE /api/admin/people/:personId", { params: { personId: id } })
      await shownPeople().reload()
    },
    `${name} removed.`,
  )

const Name = ({ person: { avatar, email, id, name, state } }: { readonly person: Person }) => (
  <div class="chatbot row nowrap">
    <Avatar name={name} image={avatar ?? ""} />
    <div class="row">
      <bdi class="anywhere">{name}</bdi>
      {state === "invited" && <Badge kind="warn">Invited</Badge>}
      {state === "removed" && <Badge>Removed</Badge>}
      {id === session.value?.person?.id && <Badge kind="good">You</Badge>}
      {email !== null && <span class="soft small aside">{email}</span>}
    </div>
  </div>
)

const Actions = ({ person }: { readonly person: Person }) => (
  <Menu
    label={`Actions for ${person.name}`}
    items={
      person.state === "removed"
        ? []
        : [
            changeItem(() => editPerson(person)),
            {
              label: person.state === "invited" ? "New invitation link…" : "Link for another passkey…",
              icon: Link,
              onChoose: () => inviteAgain(person),
            },
            { label: "Sessions", icon: MonitorSmartphone, onChoose: () => showSessions(person) },
            { label: "Remove…", icon: UserMinus, isDangerous: true, onChoose: () => remove(person) },
          ]
    }
  />
)

const PeopleTable = ({ people }: { readonly people: ReadonlyArray<Person> }) => {
  const wordsOf = useRoleWords()
  return (
    <Table
      label="People"
      grows
      rows={people}
      columns={[
        { title: "Name", kind: "main", sort: ({ name }) => name, cell: (person) => <Name person={person} /> },
        {
          title: "Roles",
          isExtra: true,
          cell: ({ claimed_roles, roles }) => (
            <span class="key-rights">
              {[...roles.map(wordsOf), ...claimed_roles.map((role) => `${wordsOf(role)} (by the provider)`)].join(
                ", ",
              ) || "–"}
            </span>
          ),
        },
        {
          title: "Sign-in",
          isExtra: true,
          cell: ({ passkeys, provider_id }) =>
            [provider_id !== null && "Provider", passkeys > 0 && plural(passkeys, "passkey")]
              .filter(Boolean)
              .join(", ") || "–",
        },
        {
          title: "Last seen",
          isExtra: true,
          sort: ({ last_seen_at }) => last_seen_at ?? "",
          cell: ({ last_seen_at }) => (last_seen_at === null ? "Never" : <Ago at={last_seen_at} />),
        },
      ]}
      actions={(person) => <Actions person={person} />}
    />
  )
}

const shownStates = { current: "Current", removed: "Removed" } as const

const People = () => {
  const people = useResource(shownPeople())
  const search = bindQuery("search")
  const show = bindOption("show", shownStates, "current")
  useAsked("new", () => void invite())
  return (
    <Page
      title="People"
      about="Who may use the console, and what they may do."
      actions={
        <Button kind="primary" icon={Plus} onClick={() => invite()}>
          Invite
        </Button>
      }
    >
      <FirstPerson />
      <div class="toolbar row">
        <SearchField label="Search people" {...search} />
        <Tabs label="Show" {...show} options={shownStates} />
      </div>
      <LoadedList of={people}>
        {({ items }) =>
          items.length > 0 ? (
            <PeopleTable people={items} />
          ) : search.value !== "" || show.value === "removed" ? (
            <Empty icon={Users} title="No matching people" />
          ) : (
            <Empty icon={Users} title="No people yet">
              Invite your team. Each person signs in with a passkey or a sign-in provider, and has roles.
            </Empty>
          )
        }
      </LoadedList>
      <Providers />
    </Page>
  )
}

export default People
