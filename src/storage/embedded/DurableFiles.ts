import { fdatasyncSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"

/**
 * PGlite's directory on disk, with an `fsync` that reaches the disk: PGlite as delivered runs without, so that a power
 * cut may lose what was acknowledged. Together with `DURABLE_START_PARAMETERS`, each commit costs one call.
 */
export class DurableFiles extends NodeFS {
  /** How often a file was written through to the disk. */
  syncs = 0

  override async init(...[engine, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const prepared = await super.init(engine, options)
    prepared.emscriptenOpts.preRun = [
      ...(prepared.emscriptenOpts.preRun ?? []),
      (module) => {
        Object.assign(module.NODEFS.stream_ops, {
          fsync: (stream: { readonly nfd: number }) => {
            this.syncs += 1
            fdatasyncSync(stream.nfd)
            return 0
          },
        })
      },
    ]
    return prepared
  }
}

const settings = {
  // One call per commit, and the only one of Postgres's methods that goes through `stream_ops.fsync`.
  wal_sync_method: "fsync",
  // A quarter of the default: the operating system keeps these pages as well, and this memory is never given back. Over
  // 200 MB of data, searches are as fast with 16, 32 and 64 MB.
  shared_buffers: "32MB",
  random_page_cost: "1.1",
  jit: "off",
}

/** PGlite's own, without `-F`, which turns `fsync` off. */
export const DURABLE_START_PARAMETERS: ReadonlyArray<string> = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
]
