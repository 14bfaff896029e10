import { type Styles, stylesFor } from '@jurist/kit/terminal'

/** Where a command writes, and what that place can show. */
export interface Terminal {
  /** Results and tables. */
  readonly out: (text: string) => void
  /** Progress, warnings, errors. */
  readonly err: (text: string) => void
  /** Of what is written with `out`; no limit where stdout is no terminal: a file or a log is not cut. */
  readonly columns: number
  /** Of what is written with `err`. */
  readonly progressColumns: number
  readonly style: Styles
  /** Whether marks beyond ASCII can be shown. */
  readonly unicode: boolean
  /** Whether the cursor of stderr may be moved. */
  readonly live: boolean
  /** Whether somebody sits there. */
  readonly interactive: boolean
}

/** A stream of the process, or one that stands for it. */
interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): boolean
}

interface Surroundings {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: { readonly [name: string]: string | undefined }
  /** What the flags `--color` and `--no-color` say. */
  readonly color?: boolean | undefined
}

const defaultColumns = 100
const unlimited = Number.MAX_SAFE_INTEGER

/**
 * What the streams can show. Colour: on a TTY, unless `NO_COLOR` is set or `TERM` is `dumb`; `FORCE_COLOR` and the flag
 * decide against that. A live region only on a TTY outside CI.
 */
export function terminalOf({ stdout, stderr, env, color }: Surroundings): Terminal {
  const capable = stdout.isTTY === true && env.TERM !== 'dumb'
  const live = stderr.isTTY === true && env.TERM !== 'dumb' && (env.CI ?? '') === ''
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    // A terminal that does not know its width says 0.
    columns: stdout.columns || columnsFrom(env.COLUMNS) || (stdout.isTTY === true ? defaultColumns : unlimited),
    progressColumns: stderr.columns || columnsFrom(env.COLUMNS) || defaultColumns,
    style: stylesFor(color ?? colourFrom(env) ?? capable),
    unicode: readsUnicode(env),
    live,
    interactive: live && stdout.isTTY === true,
  }
}

function colourFrom(env: Surroundings['env']): boolean | undefined {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return (env.NO_COLOR ?? '') === '' ? undefined : false
}

function columnsFrom(text: string | undefined): number | undefined {
  const columns = Number(text)
  return Number.isSafeInteger(columns) && columns > 0 ? columns : undefined
}

/** By the locale; where none is set, UTF-8 is what terminals of today read. */
function readsUnicode(env: Surroundings['env']): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((name) => (name ?? '') !== '')
  return locale === undefined || /utf-?8/i.test(locale)
}
