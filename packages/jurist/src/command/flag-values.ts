import { usageInvalid } from '../config/problems.js'

/** Reads flags of one call; every value that is wrong is remembered, and all are refused at once by `done`. */
export interface FlagReader {
  readonly whole: (flag: string, value: unknown, minimum: number) => number | undefined
  /** US dollars. */
  readonly dollars: (flag: string, value: unknown) => number | undefined
  /** A rate within [0, 1]; `80%` is 0.8. */
  readonly rate: (flag: string, value: unknown) => number | undefined
  /** Milliseconds. */
  readonly duration: (flag: string, value: unknown) => number | undefined
  readonly oneOf: <Value extends string>(flag: string, value: unknown, values: readonly Value[]) => Value | undefined
  readonly json: (flag: string, value: unknown) => unknown
  readonly problem: (flag: string, message: string) => void
  /** @throws `usage-invalid` naming every wrong value */
  readonly done: () => void
}

/** A reader of flags. */
export function flagReader(): FlagReader {
  const problems: { readonly flag: string; readonly message: string }[] = []
  const problem = (flag: string, message: string): undefined => {
    problems.push({ flag, message })
    return undefined
  }
  return {
    whole(flag, value, minimum) {
      if (value === undefined) return undefined
      const number = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN
      if (Number.isSafeInteger(number) && number >= minimum) return number
      return problem(flag, `${flag} must be a whole number of at least ${minimum}, not "${value}".`)
    },
    dollars(flag, value) {
      if (value === undefined) return undefined
      if (/^(\d+(\.\d+)?|\.\d+)$/.test(String(value))) return Number(value)
      return problem(flag, `${flag} wants US dollars, such as 2.50, not "${value}".`)
    },
    rate(flag, value) {
      if (value === undefined) return undefined
      const rate = rateOf(String(value))
      return rate ?? problem(flag, `${flag} wants a rate from 0 to 1, such as 0.8, or 80%, not "${value}".`)
    },
    duration(flag, value) {
      if (value === undefined) return undefined
      const ms = durationOf(String(value))
      if (ms === undefined) return problem(flag, `${flag}: "${value}" is no duration. Write 500ms, 30s, 15m or 2h.`)
      return ms > 0 ? ms : problem(flag, `${flag} must be longer than nothing, not "${value}".`)
    },
    oneOf(flag, value, values) {
      if (value === undefined) return undefined
      const found = values.find((one) => one === value)
      return found ?? problem(flag, `${flag} is one of ${values.join(', ')}, not "${value}".`)
    },
    json(flag, value) {
      if (value === undefined) return undefined
      try {
        return JSON.parse(String(value))
      } catch (thrown) {
        return problem(flag, `${flag} wants JSON: ${thrown instanceof Error ? thrown.message : thrown}.`)
      }
    },
    problem: (flag, message) => void problem(flag, message),
    done() {
      const [first] = problems
      if (first !== undefined) throw usageInvalid(first.flag, problems.map(({ message }) => message).join('\n'))
    },
  }
}

const units: Readonly<Record<string, number>> = { '': 1_000, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `500ms`, `30s`, `15m`, `2h` or a bare number of seconds. */
function durationOf(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (units[unit] ?? 1_000)
}

function rateOf(text: string): number | undefined {
  const [, number, sign] = /^(\d+(?:\.\d+)?|\.\d+)(%)?$/.exec(text) ?? []
  if (number === undefined) return undefined
  const rate = sign === undefined ? Number(number) : Number(number) / 100
  return rate <= 1 ? rate : undefined
}

/** What a value is called, and the value: of a flag, else of the environment variable that stands for it, unless empty. */
export function flagOrVariable(
  flag: string,
  value: unknown,
  variable: string,
): readonly [name: string, value: unknown] {
  const set = process.env[variable] ?? ''
  return value === undefined && set !== '' ? [variable, set] : [flag, value]
}

/** Adds a value to those that a repeatable flag has. */
export function repeated(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value]
}
