import { Context } from "effect"

/** Facts about the database, whichever it is, that the rest of the server has to know. */
export class DatabaseTraits extends Context.Service<
  DatabaseTraits,
  {
    /**
     * No other process uses the database, nor the data directory beside it: all that is found leased, reserved or
     * unfinished at the start was left by a process that is gone.
     */
    readonly isAlone: boolean
    /** The database answers other queries while it builds an index. */
    readonly answersWhileIndexing: boolean
  }
>()("parley/system/DatabaseTraits") {}
