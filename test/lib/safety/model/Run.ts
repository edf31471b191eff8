import * as fc from "fast-check"
import type { TestServer } from "../../TestServer.ts"
import { makeOrganization } from "../Belongings.ts"
import { commands, expectChatbots, expectEverything, type Setting, type Step } from "./Commands.ts"
import { newCanary, Owners } from "./Model.ts"

/*
 * Runs commands over three organizations, and compares what each of them sees with the model after every command.
 */

const ORGANIZATIONS = 3
/** The most commands of one run, after which everything begins anew. */
const COMMANDS_MAX = 100
/** After so many commands, everything that one of the organizations sees is compared; after a run, for all of them. */
const EVERYTHING_EVERY = 10

export interface ModelReport {
  /** The commands that were performed. */
  readonly operations: number
  /** What is wrong, with the commands that led there and how to repeat them; undefined where nothing is. */
  readonly failure: string | undefined
}

interface Count {
  operations: number
}

/** One command, as fast-check performs and prints it. */
class Performed implements fc.AsyncCommand<Count, Setting> {
  readonly name: keyof typeof commands
  readonly step: Step

  constructor(name: keyof typeof commands, step: Step) {
    this.name = name
    this.step = step
  }

  check = () => true

  async run(count: Count, setting: Setting): Promise<void> {
    const [perform] = commands[this.name]
    await perform(setting, this.step)
    count.operations++
    const { organizations } = setting
    for (const index of new Set([this.step.actor, this.step.owner])) {
      const organization = organizations[index]
      if (organization !== undefined) await expectChatbots(setting, organization)
    }
    const turn = count.operations / EVERYTHING_EVERY
    const looking = organizations[turn % organizations.length]
    if (looking !== undefined) await expectEverything(setting, looking)
  }

  toString = () => `${this.name}(${this.step.actor}, ${this.step.owner}, ${this.step.pick})`
}

const organizationIndex = fc.nat({ max: ORGANIZATIONS - 1 })

/** The owner is the actor two times in three. */
const steps = fc
  .record({ actor: organizationIndex, other: organizationIndex, isOwn: fc.nat({ max: 2 }), pick: fc.nat({ max: 11 }) })
  .map(({ actor, isOwn, other, pick }): Step => ({ actor, owner: isOwn < 2 ? actor : other, pick }))

const isName = (name: string): name is keyof typeof commands => name in commands

const named = fc.oneof(
  ...Object.entries(commands)
    .map(([name, [, weight]]) => ({ name, weight: weight * 10 }))
    .flatMap(({ name, weight }) => (isName(name) ? [{ weight, arbitrary: fc.constant(name) }] : [])),
)

const anyCommand = fc.tuple(named, steps).map(([name, step]) => new Performed(name, step))

/** Makes the organizations of one run. */
const makeSetting = async ({ client: operator }: TestServer, owners: Owners): Promise<Setting> => {
  const make: Setting["makeOrganization"] = async (canary) => {
    const { client, organization } = await makeOrganization(operator, canary)
    return { id: organization, client, canary, chatbots: new Map(), keys: new Map(), replies: 0 }
  }
  return {
    owners,
    organizations: await Promise.all(Array.from({ length: ORGANIZATIONS }, () => make(newCanary()))),
    makeOrganization: make,
    removeOrganization: async ({ id }) => {
      const { status, text } = await operator.delete(`/api/admin/organizations/${id}`)
      if (status !== 200) throw new Error(`An organization cannot be deleted: ${status} ${text}`)
    },
  }
}

/** Performs at least so many commands. The same seed performs the same ones. */
export const runModel = async (
  server: TestServer,
  { operations, seed }: { readonly operations: number; readonly seed: number },
): Promise<ModelReport> => {
  const owners = new Owners()
  let performed = 0
  for (let round = 0; performed < operations; round++) {
    const property = fc.asyncProperty(
      fc.commands([anyCommand], { maxCommands: Math.min(COMMANDS_MAX, operations), size: "max" }),
      async (commands) => {
        const setting = await makeSetting(server, owners)
        const count: Count = { operations: 0 }
        try {
          await fc.asyncModelRun(() => ({ model: count, real: setting }), commands)
          await Promise.all(setting.organizations.map((organization) => expectEverything(setting, organization)))
        } finally {
          performed += count.operations
          await Promise.all(setting.organizations.map(setting.removeOrganization))
        }
      },
    )
    const result = await fc.check(property, {
      seed: seed + round,
      numRuns: 1,
      endOnFailure: true,
      includeErrorInReport: true,
    })
    if (result.failed)
      return {
        operations: performed,
        failure: `seed ${seed + round}: ${(await fc.defaultReportMessage(result)) ?? ""}`,
      }
  }
  return { operations: performed, failure: undefined }
}
