import type { CommandTerminal } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { type Styles, stylesFor, wrappedLines } from '@jurist/kit/terminal'

/** The output of a command, with its capabilities. */
export interface Terminal extends CommandTerminal {
  /** The width for `err`. */
  readonly progressColumns: number
  readonly style: Styles
  /** Whether `style` adds colours. */
  readonly color: boolean
  /** Whether characters beyond ASCII can be displayed. */
  readonly unicode: boolean
  /** Whether the cursor of stderr may be moved. */
  readonly live: boolean
  /** Whether both stdout and stderr are an interactive terminal. */
  readonly interactive: boolean
  /** Formats a proposed command line from the arguments of `jurist`. It names the results that the text is about. */
  readonly command: (...words: readonly string[]) => string
}

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): boolean
}

interface Streams {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: { readonly [name: string]: string | undefined }
  /** The value of the flags `--color` and `--no-color`. */
  readonly color?: boolean | undefined
}

const defaultColumns = 100
const unlimited = Number.MAX_SAFE_INTEGER

/**
 * Creates the terminal of these streams. Colours are used on a TTY, unless `NO_COLOR` is set or `TERM` is `dumb`;
 * `FORCE_COLOR` and the flag override this. A live region requires a TTY outside CI.
 */
export function terminalOf({ stdout, stderr, env, color }: Streams): Terminal {
  const capable = stdout.isTTY === true && env.TERM !== 'dumb'
  const isColoured = color ?? colourFrom(env) ?? capable
  const live = stderr.isTTY === true && env.TERM !== 'dumb' && (env.CI ?? '') === ''
  // A terminal of unknown width reports 0.
  const widthOf = ({ columns, isTTY }: Stream) =>
    columns || columnsFrom(env.COLUMNS) || (isTTY === true ? defaultColumns : unlimited)
  const [columns, errColumns] = [widthOf(stdout), widthOf(stderr)]
  const fitting = (text: string, width: number) => (width === unlimited ? text : wrappedLines(text, width))
  return {
    out: (text) => void stdout.write(fitting(text, columns)),
    err: (text) => void stderr.write(fitting(text, errColumns)),
    raw: (text) => void stdout.write(text),
    columns,
    progressColumns: errColumns === unlimited ? defaultColumns : errColumns,
    style: stylesFor(isColoured),
    color: isColoured,
    unicode: readsUnicode(env),
    live,
    interactive: live && stdout.isTTY === true,
    command: commandLine,
  }
}

function colourFrom(env: Streams['env']): boolean | undefined {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return (env.NO_COLOR ?? '') === '' ? undefined : false
}

function columnsFrom(text: string | undefined): number | undefined {
  const columns = Number(text)
  return Number.isSafeInteger(columns) && columns > 0 ? columns : undefined
}

/** Whether the locale is UTF-8. The default is yes. */
function readsUnicode(env: Streams['env']): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((name) => (name ?? '') !== '')
  return locale === undefined || /utf-?8/i.test(locale)
}
