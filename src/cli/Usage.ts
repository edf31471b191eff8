import { Console } from "effect"
import { CliOutput } from "effect/cli"
import { printable } from "../system/Printable.ts"

/** Shows a command line that is not understood by its error alone; a page of help would stand above it. */
export const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          [
            ...event.errors.map(({ message }) => `parley: ${printable(message.replaceAll(/\s+/g, " "))}`),
            `\`${event.commandPath.join(" ")} --help\` shows what there is.`,
          ].join("\n"),
        )
      : CliOutput.defaultPresenter.present(event),
}
