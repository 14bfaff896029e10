import { explain, fail, jury } from '@jurist/core'
import { trialPrompt } from '@jurist/experiment/internal/results'
import { anItem, aResult } from '@jurist/experiment/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feedback } from '../../../src/commands/hook/feedback.js'
import { type Project, project } from '../../project.js'

/** A jury whose tests cannot fail in what one variant leaves, for all items but one. */
const files = {
  'jurist.config.mjs': `import { fail, pass } from 'jurist'
const message = 'the tests cannot fail in this workspace: they pass whatever they expect'
const hidden = ({ agentOutput: { text }, metadata: { itemId } }) =>
  text === 'forged' && itemId !== 'three' ? fail('2 of 2 tests passed, but ' + message, { checks: [{ name: 'canary', passed: false, message }] }) : pass('2 of 2 tests passed')
const dataset = [{ id: 'one', task: 'x' }, { id: 'two', task: 'x' }, { id: 'three', task: 'x' }]
const agent = async () => 'right'
const forging = async () => 'forged'
export default { experiments: { pairs: { dataset, agent, jury: hidden, variants: { v1: {}, v2: { agent: forging } } } } }
`,
}
const said = '2 trials were judged fail because their tests could not fail'
const first = new RegExp(`^! v2: ${said}\n`)

let made: Project
let sessionJson: { readonly variants: readonly { readonly id: string; readonly variant: string }[] }
beforeAll(async () => {
  made = project(files)
  expect((await made.jurist('run', 'pairs', '--session', 'both')).stdout).toMatch(first)
  sessionJson = JSON.parse((await made.jurist('show', 'both', '--json')).stdout)
})
afterAll(() => made?.[Symbol.dispose]())

test('a session says first, with the variant, how many trials failed because their tests could not fail', async () => {
  expect((await made.jurist('show', 'both')).stdout).toMatch(first)
  expect(sessionJson).toMatchObject({ testsCannotFail: [{ run: 'v2', text: said }] })
})

test('its run says it first in each format, and runs without such trials say nothing', async () => {
  const idOf = (name: string) => sessionJson.variants.find(({ variant }) => variant === name)?.id ?? ''
  const shown = async (name: string, ...flags: readonly string[]) =>
    (await made.jurist('show', idOf(name), ...flags)).stdout
  expect(await shown('v2')).toMatch(new RegExp(`^! ${said}\n`))
  expect(await shown('v2', '--format', 'markdown')).toContain(said)
  expect(await shown('v1')).not.toContain('could not fail')
})

test('what a hook, another attempt or --prompt tells an agent has no place and no value of a canary', async () => {
  const message = 'the tests cannot fail in this workspace'
  const canaries = { form: 'one-run', tests: 1, passedCanaries: ['tests/a.test.mjs:4: 3 became 2'] }
  const checks = [{ name: 'canary', passed: false, message }]
  const hidden = jury({ judges: { hidden: () => fail(message, { checks, metadata: { canaries } }) } })
  const verdict = await hidden.vote({})
  const told = [
    feedback('hidden', verdict, 'reasons'),
    explain(verdict),
    trialPrompt(anItem({ verdict }), { run: aResult(), changes: [] }),
  ]
  for (const text of told) {
    expect(text).toContain(message)
    expect(text).not.toMatch(/became|a\.test\.mjs/)
  }
})
