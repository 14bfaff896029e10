/** What one check says. */
export interface Finding {
  /** What was looked at, such as `git`. */
  readonly what: string
  /** `missing`: the config cannot be run without it. `warning`: something may be worse without it. */
  readonly state: 'ok' | 'warning' | 'missing'
  readonly detail: string
  /** What to do; absent where nothing is to be done. */
  readonly remedy?: string
}

/** One check, by the name of what it looks at. */
export interface Check {
  readonly what: string
  readonly look: () => Promise<readonly Finding[]>
}

/** Runs checks at the same time. One that fails or takes longer than `patienceMs` is a warning, or missing where it throws. */
export async function findingsOf(checks: readonly Check[], patienceMs: number): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map((check) => withinTime(check, patienceMs)))
  return found.flat()
}

async function withinTime({ what, look }: Check, patienceMs: number): Promise<readonly Finding[]> {
  const late: Finding = { what, state: 'warning', detail: `did not answer within ${patienceMs / 1_000} s` }
  let timeout: NodeJS.Timeout | undefined
  const timeUp = new Promise<readonly Finding[]>((resolve) => {
    timeout = setTimeout(() => resolve([late]), patienceMs)
  })
  try {
    return await Promise.race([look(), timeUp])
  } catch (thrown) {
    return [{ what, state: 'missing', detail: thrown instanceof Error ? thrown.message : String(thrown) }]
  } finally {
    clearTimeout(timeout)
  }
}
