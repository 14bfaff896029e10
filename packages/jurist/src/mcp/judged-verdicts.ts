import { flatten, type Judgment, type Verdict } from '@jurist/core'

/** The verdicts that this server made, the last of them. */
export interface Judged {
  /** Keeps a verdict, and returns its name. */
  keep(verdict: Verdict): string
  find(name: string): Verdict | undefined
}

const mostKept = 20

/** No verdicts yet. */
export function judgedVerdicts(): Judged {
  const kept = new Map<string, Verdict>()
  let count = 0
  return {
    keep(verdict) {
      count += 1
      kept.set(`judged-${count}`, verdict)
      if (count > mostKept) kept.delete(`judged-${count - mostKept}`)
      return `judged-${count}`
    },
    find: (name) => kept.get(name),
  }
}

/** The judgment at a path of a verdict, such as `rules/build`; `''` is the whole. */
export function judgmentAt(verdict: Verdict, path: string): Judgment | undefined {
  return flatten(verdict).find((row) => row.path === (path === '' ? '' : `/${path}`))?.judgment
}
