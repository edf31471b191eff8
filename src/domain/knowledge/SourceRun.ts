import { Schema } from "effect"
import { idOf } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { PageOutcome } from "./SourcePage.ts"

export const SourceRunId = idOf("a run of a source").pipe(Schema.brand("SourceRunId"))
export type SourceRunId = typeof SourceRunId.Type

export const SourceRunStatus = Schema.Literals(["queued", "running", "finished", "stopped", "failed", "held"])
export type SourceRunStatus = typeof SourceRunStatus.Type

export const SourceRunError = Schema.Struct({
  code: Schema.Literals([
    "unreachable",
    "forbidden",
    "not_a_list",
    "nothing_found",
    "pages_missing",
    "quota_reached",
    "gave_up",
  ]),
  message: Schema.String,
})
export type SourceRunError = typeof SourceRunError.Type

/** One reading of a source's pages. */
export const SourceRun = Schema.Struct({
  id: SourceRunId,
  trigger: Schema.Literals(["manual", "schedule"]),
  status: SourceRunStatus.annotate({
    description:
      "`queued` → `running` → `finished`, `stopped` (by somebody), `failed`, or `held`: less than half of the pages that were known were found, nothing was deleted, and a run with `confirm` goes on.",
  }),
  stopping: Schema.Boolean.annotate({ description: "Whether somebody has asked it to stop, and it has not yet." }),
  only: Schema.NullOr(PageOutcome).annotate({ description: "The run reads the pages of this outcome only." }),
  counts: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "Numbers of pages by outcome; `waiting`: those to be read yet; `deleted`: those gone for good.",
  }),
  requests: Schema.Int.annotate({ description: "Requests that were sent." }),
  bytes: Schema.Finite.annotate({ description: "Bytes that were received." }),
  error: Schema.NullOr(SourceRunError).annotate({ description: "Why it has failed, or is held." }),
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
}).annotate({
  identifier: "SourceRun",
  examples: [
    {
      id: SourceRunId.make("01a1f949-7d20-7d5e-8a41-0c6a2b9f3d12"),
      trigger: "manual",
      status: "finished",
      stopping: false,
      only: null,
      counts: { new: 118, excluded: 12, failed: 1 },
      requests: 133,
      bytes: 2_413_004,
      error: null,
      created_at: Timestamp.make("2026-11-20T14:08:16.357+00:00"),
      started_at: Timestamp.make("2026-11-20T14:08:16.401+00:00"),
      ended_at: Timestamp.make("2026-11-20T14:09:02.113+00:00"),
    },
  ],
})
export type SourceRun = typeof SourceRun.Type
