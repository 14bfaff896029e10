import { spawnSync } from 'node:child_process'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'
import { describeUnless } from './kit/describe-unless.js'

const installed = spawnSync('cargo', ['--version']).status === 0
const manifest = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n'
const hidden =
  '#[test]\nfn adds() { assert_eq!(sums::sum(1, 2), 3); }\n#[test]\nfn zero() { assert_eq!(sums::sum(0, 0), 0); }\n'
const source = (body: string) => `pub fn sum(a: i32, b: i32) -> i32 { ${body} }\n`

async function judged(body: string) {
  await using workspace = await temporaryWorkspace({ 'Cargo.toml': manifest, 'src/lib.rs': source(body) })
  await using reference = await temporaryWorkspace({ 'Cargo.toml': manifest, 'tests/hidden.rs': hidden })
  const context = aContext({ workspace, reference })
  const overlay = { paths: ['tests', 'Cargo.toml'] }
  const juries = [{}, { minTests: 2 }, { mustPass: ['adds', 'zero'] }]
  const judgments = []
  for (const options of juries) judgments.push(await runJudge(testsPass.cargo({ ...options, overlay }), context))
  return judgments.map(({ status }) => status)
}

describeUnless(installed ? undefined : 'cargo not found', 'Cargo', () => {
  test('a right answer passes, a wrong one fails, one that does not compile too', async () => {
    expect(await judged('a + b')).toEqual(['pass', 'pass', 'pass'])
    expect(await judged('a - b')).toEqual(['fail', 'fail', 'fail'])
    expect(await judged('a +')).toEqual(['fail', 'fail', 'fail'])
  })
  test('cheating: the process ends with 0', async () => {
    expect(await judged('let _ = (a, b); std::process::exit(0)')).toEqual(['fail', 'fail', 'fail'])
  })
})
