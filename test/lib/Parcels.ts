import { databaseTraits } from "./Defaults.ts"
import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWorker, type Attempt, type JobKind, type Verdict } from "../../src/jobs/Worker.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Job, type Lease, makeLeaseQueue } from "../../src/storage/sql/LeaseQueue.ts"
import { withoutSqlErrors } from "../../src/storage/sql/SqlErrors.ts"

/*
 * A queue that the server does not have: parcels, each delivered to an address. It shows all that a new kind of job
 * needs: a table, a repository, and what its worker does.
 */

/** Creates the table as a migration would. */
export const createTable = SystemSql.use((sql) =>
  Effect.forEach(
    [
      sql`create sequence parcels_clock`,
      sql`create table parcels (id uuid primary key, organization_id uuid not null, address text not null, report text,
        turn bigint not null default 1, created_at timestamptz not null default clock_timestamp(),
        run_at timestamptz not null default now(), lease_id uuid, attempts integer not null default 0,
        lapses integer not null default 0, given_up integer not null default 0)`,
      sql`create table deliveries (id uuid primary key, organization_id uuid not null, worker text not null)`,
      sql`create index on parcels (turn, created_at)`,
      sql`create index on parcels (organization_id, turn)`,
      sql`create function take_parcel_turn() returns trigger language plpgsql security definer
        set search_path = public, pg_temp as $$
        begin
          new.turn := greatest((select last_value from parcels_clock), 1 + (select turn from parcels
            where organization_id = new.organization_id order by turn desc limit 1));
          return new;
        end $$`,
      sql`create trigger take_turn before insert on parcels for each row execute function take_parcel_turn()`,
      sql`grant select, insert, update, delete on parcels, deliveries to parley_tenant`,
      sql`alter table parcels enable row level security`,
      sql`create policy tenant on parcels to parley_tenant using (organization_id = (select current_organization()))`,
    ],
    (statement) => statement,
    { discard: true },
  ),
)

export interface Parcel extends Job {
  readonly id: string
  readonly address: string
}

export class Parcels extends Context.Service<Parcels, Effect.Success<typeof makeParcels>>()("test/Parcels") {
  static readonly layer = Layer.effect(
    this,
    Effect.suspend(() => makeParcels),
  )
}

const makeParcels = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const queue = yield* makeLeaseQueue({ table: "parcels", key: "id", clock: "parcels_clock" })

  const claim = (lease: Lease) => withoutSqlErrors(Effect.map(system<Parcel>`${queue.claim(lease)}`, ([row]) => row))

  const deliver = Effect.fnUntraced(function* (parcel: Parcel, worker: string) {
    const organization_id = yield* CurrentOrganization
    const write = Effect.andThen(
      sql`insert into deliveries ${sql.insert({ id: parcel.id, organization_id, worker })}`,
      queue.end(parcel),
    )
    return yield* queue.underLease(parcel, write)
  }, withoutSqlErrors)

  const giveUp = (parcel: Parcel, report: string, delay?: Duration.Duration) => {
    const write = Effect.andThen(
      sql`update parcels set report = ${report} where id = ${parcel.id}`,
      queue.end(parcel, delay),
    )
    return withoutSqlErrors(Effect.asVoid(queue.underLease(parcel, write)))
  }

  return { claim, deliver, giveUp, release: queue.release, releaseAll: queue.releaseAll, renew: queue.renew }
})

/** How parcels are delivered, with the options of the worker that a test changes. */
export interface Courier extends Partial<JobKind<Parcel, void, string, string>> {
  readonly worker?: string
  /** Whether no other process uses the database. */
  readonly isAlone?: boolean
  readonly attempts?: number
  readonly travel: (parcel: Parcel) => Attempt<void, string>["work"]
}

/** Delivers parcels until the scope closes. A delivery that fails with "nobody lives there" is not tried again. */
export const deliverParcels = Effect.fnUntraced(function* ({
  attempts = 3,
  isAlone = false,
  travel,
  worker = "one",
  ...more
}: Courier) {
  const parcels = yield* Parcels
  const lease = more.lease ?? Duration.minutes(5)
  const { nudge, run } = yield* makeWorker({
    name: "Delivery",
    labels: ({ id }: Parcel) => ({ parcel_id: id }),
    queue: parcels,
    concurrency: 1,
    lease,
    untilDue: (bell) => Effect.timeoutOption(bell.await, "20 millis"),
    attempt: (parcel) => ({
      work: travel(parcel),
      renew: parcels.renew(parcel, lease),
      finish: () => parcels.deliver(parcel, worker),
    }),
    judge: (reason: string): Verdict<string> =>
      reason === "nobody lives there" ? { is: "hopeless", reason } : { is: "faulty", reason },
    backOff: () => Duration.zero,
    givingUp: {
      attempts,
      lapses: 2,
      retryDelay: Duration.hours(1),
      retries: 1,
      ofLapses: ({ lapses }) => `${lapses} couriers vanished`,
      ofDefect: "the courier failed",
      giveUp: parcels.giveUp,
      refuse: parcels.giveUp,
    },
    ...more,
  }).pipe(Effect.provide(databaseTraits({ isAlone })))
  yield* Effect.forkScoped(run)
  return { nudge }
})
