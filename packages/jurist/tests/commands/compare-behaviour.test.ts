import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../project.js'

/** Agents that answer alike and use other tools; one of them records nothing. */
const config = `
import { outputText } from 'jurist'
const using = (mode, ...names) => async ({ record }) => {
  names.forEach((name, index) => record?.({ type: 'tool-call', id: String(index), name, input: { mode } }))
  return { status: 'completed', output: 'right' }
}
export default {
  experiments: {
    tools: {
      dataset: Array.from({ length: 12 }, (_, index) => ({ id: 'q' + index, task: 'Go.' })),
      agent: using('slow', 'read', 'run_tests'),
      jury: outputText({ equals: 'right' }),
      variants: { main: {}, branch: { agent: using('fast', 'read', 'read', 'deploy') }, silent: { agent: using('') } },
    },
  },
}
`

let made: Project
beforeAll(async () => {
  made = project({ 'jurist.config.mjs': config })
  await made.jurist('run')
})
afterAll(() => made[Symbol.dispose]())

const compare = (candidate: string, ...argv: readonly string[]) =>
  made.jurist('compare', 'tools@main', `tools@${candidate}`, ...argv)

describe('jurist compare', () => {
  test('shows what agents did differently where scores are alike, and decides nothing by it', async () => {
    const { code, stdout } = await compare('branch')
    expect(code).toBe(0)
    expect(stdout).toContain('Behaviour (12 items, 12 and 12 trials)')
    expect(stdout).toMatch(/new +tool deploy +0 of 12 trials +12 of 12 trials/)
    expect(stdout).toMatch(/gone +tool run_tests +12 of 12 trials +0 of 12 trials/)
    expect(stdout).toMatch(/new +argument read mode=fast +0 of 12 trials +12 of 12 trials/)
    expect(stdout).toMatch(/more +calls of read +1\.0 +2\.0/)
    expect(stdout).toContain('q0: +deploy, +read mode=fast, -run_tests, -read mode=slow')
    const { conclusion, behaviour } = JSON.parse((await compare('branch', '--format', 'json')).stdout)
    expect([conclusion, behaviour.added[0].name, behaviour.order.distance]).toEqual([
      'no-difference-detected',
      'deploy',
      2 / 3,
    ])
  })

  test('is a gate for those who ask for one', async () => {
    const gate = async (failOn: string) => {
      const { code, stderr } = await compare('branch', '--fail-on', failOn)
      return [code, stderr.split('\n').filter((line) => line.startsWith('Missed'))]
    }
    expect(await gate('tools=deploy,search')).toEqual([
      1,
      ['Missed: the tool deploy is new (--fail-on tools=deploy,search)'],
    ])
    expect(await gate('tools=read')).toEqual([0, []])
    // Arguments decide nothing.
    expect(await gate('behaviour')).toEqual([
      1,
      [expect.stringContaining('deploy is new'), expect.stringContaining('run_tests is gone')],
    ])
    expect(await gate('significant')).toEqual([0, []])
    expect((await compare('branch', '--fail-on', 'behavior')).stderr).toContain('Did you mean "behaviour"?')
  })

  test('says of a side without journals that nothing is known', async () => {
    const { stdout } = await compare('silent')
    expect(stdout).toContain('no journals on one side')
    const gated = await compare('silent', '--fail-on', 'behaviour')
    expect([gated.code, gated.stderr]).toEqual([1, expect.stringContaining('no journals on one side')])
  })
})
