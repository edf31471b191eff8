import { fdatasyncSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"

/**
 * PGlite's file system, with an `fsync` that reaches the disk. PGlite itself runs without, so that a power cut may lose
 * acknowledged commits. With `DURABLE_START_PARAMETERS`, each commit costs one call.
 */
export class DurableFiles extends NodeFS {
  /** The number of calls of `fsync`. */
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
  // One call for each commit, and the only one of Postgres's methods that goes through `stream_ops.fsync`.
  wal_sync_method: "fsync",
  // A quarter of the default: the operating system caches these pages too, and this memory is never freed. With 200 MB
  // of data, searches are as fast with 16, 32 and 64 MB (measured).
  shared_buffers: "32MB",
  random_page_cost: "1.1",
  jit: "off",
}

/** PGlite's own start parameters without `-F`, which turns `fsync` off, and with the settings above. */
export const DURABLE_START_PARAMETERS: ReadonlyArray<string> = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
]
