import { fileURLToPath } from 'node:url'
import { changes, snapshot } from '@jurist/workspace'
import type { Jury } from 'jurist'
import { cascade, commandSucceeds, fail, type Judge, jury, pass, testsPass } from 'jurist'

const harness = fileURLToPath(new URL('./harness/run-tests.mjs', import.meta.url))

/** Runs what is in `tests/` and prints TAP. */
export const testCommand: readonly string[] = [process.execPath, harness, 'tests']
const hiddenTestCommand: readonly string[] = [process.execPath, harness, '--once', 'tests']
const loadCommand: readonly string[] = [process.execPath, harness, '--load', 'src']

/** Passes when nothing outside `src/` differs from what the agent was given: a test that was made easier proves nothing. */
export const onlySources: Judge = async function onlySources({ workspace, before }) {
  if (before === undefined) throw new Error('There is nothing to compare with: the item has no before/.')
  const { added, removed, modified } = changes(await snapshot(before), await snapshot(workspace))
  const others = [...added, ...removed, ...modified].filter((path) => !path.startsWith('src/')).sort()
  return others.length === 0
    ? pass('only sources were changed')
    : fail(`changed outside src/: ${others.slice(0, 5).join(', ')}`)
}

/**
 * Four tiers, the cheap ones first; the first that fails ends the matter.
 * The hidden tests replace `tests/` in a throw-away copy, so the agent has never seen them.
 */
export const repairJury: Jury = cascade([
  { name: 'intact', jury: onlySources, policy: 'reject-on-any-fail' },
  { name: 'loads', jury: commandSucceeds(loadCommand, { timeoutMs: 20_000 }), policy: 'reject-on-any-fail' },
  { name: 'visible', jury: testsPass.command(testCommand, { timeoutMs: 20_000 }), policy: 'reject-on-any-fail' },
  {
    name: 'hidden',
    jury: jury({
      judges: { hidden: testsPass.command(hiddenTestCommand, { overlay: { paths: ['tests'] }, timeoutMs: 20_000 }) },
    }),
    policy: 'final',
  },
])
