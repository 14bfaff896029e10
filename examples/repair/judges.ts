import { fileURLToPath } from 'node:url'
import { cascade, commandSucceeds, fail, type Judge, type Jury, jury, pass, testsPass } from 'jurist'
import { changes, snapshot } from 'jurist/workspace'

const harness = fileURLToPath(new URL('./harness/run-tests.mjs', import.meta.url))
/** Long, since a busy machine must not decide; the harness ends by itself before that. */
const options = { timeoutMs: 120_000 }

/** Runs what is in `tests/`, and prints TAP. */
export const testCommand: readonly string[] = [process.execPath, harness, 'tests']

/** Passes when nothing outside `src/` differs from what the agent was given: a test made easier proves nothing. */
const onlySources: Judge = async function onlySources({ workspace, before }) {
  if (before === undefined) throw new Error('There is nothing to compare with: the item has no before/.')
  const { added, removed, modified } = changes(await snapshot(before), await snapshot(workspace))
  const others = [...added, ...removed, ...modified].filter((path) => !path.startsWith('src/')).sort()
  return others.length === 0
    ? pass('only sources were changed')
    : fail(`changed outside src/: ${others.slice(0, 5).join(', ')}`)
}

const sourcesLoad = commandSucceeds([process.execPath, harness, '--load', 'src'], options)
const visibleTests = testsPass.command(testCommand, options)

/** The hidden tests replace `tests/` in a throw-away copy, and are deleted as soon as they are read. */
const hiddenTests = testsPass.command([process.execPath, harness, '--once', 'tests'], {
  ...options,
  overlay: { paths: ['tests'] },
})

/** Four tiers, the cheap ones first; the first that fails ends the matter. */
export const repairJury: Jury = cascade([
  { name: 'intact', jury: jury({ judges: { files: onlySources } }), policy: 'reject-on-any-fail' },
  { name: 'loads', jury: jury({ judges: { sources: sourcesLoad } }), policy: 'reject-on-any-fail' },
  { name: 'visible', jury: jury({ judges: { tests: visibleTests } }), policy: 'reject-on-any-fail' },
  { name: 'hidden', jury: jury({ judges: { tests: hiddenTests } }), policy: 'final' },
])
